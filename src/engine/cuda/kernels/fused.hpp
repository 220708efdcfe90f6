// Neighbouring operations that one kernel does, with the bits of both.
#pragma once

#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

/// Each issues both, or returns false and issues neither: where the second does not read what the first writes, or
/// writes over what the first reads.
bool issue_pair(const Target& target, const GlobalAveragePool& first, const Memory& first_memory, const Dropout& second,
                const Memory& second_memory);
bool issue_pair(const Target& target, const DropoutGradient& first, const Memory& first_memory,
                const GlobalAveragePoolGradient& second, const Memory& second_memory);

}  // namespace regatta::engine::cuda
