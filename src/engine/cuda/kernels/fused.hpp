// Neighbouring operations that one kernel does, with the bits of both.
#pragma once

#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

/// Issues both, or false and neither: where the second does not read what the first writes, or writes over what the
/// first reads.
bool issue_pair(const Target& target, const DropoutGradient& first, const Memory& first_memory,
                const GlobalAveragePoolGradient& second, const Memory& second_memory);

}  // namespace regatta::engine::cuda
