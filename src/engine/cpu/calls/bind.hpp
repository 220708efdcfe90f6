// From an operation to the calls of the kernels that suit its shape.
#pragma once

#include "engine/cpu/calls/target.hpp"

namespace regatta::engine::cpu {

/// Bytes of scratch that the kernels for this operation want.
std::int64_t scratch_bytes(const Target& target, const OpSpec& spec);

/// Backend::packs_first.
bool packs_first(const Target& target, const OpSpec& spec);

/// `target.kernels` and `spec` must outlive the calls.
BoundCalls bind(const Target& target, const OpSpec& spec, const Memory& memory);

/// Other ways to compute the operation, worth timing.
std::vector<KernelChoice> choices(const Target& target, const OpSpec& spec);

}  // namespace regatta::engine::cpu
