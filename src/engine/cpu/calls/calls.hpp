// From an operation to its calls: the table of all, and those of every other operation.
#pragma once

#include "engine/cpu/kernels/kernel_table.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine::cpu {

// Declarations that the files share which choose and bind kernels.

using Memory = std::array<void*, kOperands>;

/// The facts that the choice of kernels depends on, beside the shape.
struct Target {
  const KernelTable* kernels;
  int threads;
};

/// The notes of this backend in the calls that it binds, by place in Call::notes.
enum Note : std::size_t {
  kGrain,     ///< units a thread should take at least; 0: not worth splitting
  kTogether,  ///< neighbouring units that share what they read: fewer at a time cost more; 0: none do
  kProduces,  ///< floats of operand 2 that each unit completes, one unit after the other; 0: other ones
  kConsumes,  ///< floats that each unit reads of operand 1, one unit after the other; 0: other ones
};

// bind.cpp: From an operation to the calls of the kernels that suit its shape.

/// Bytes of scratch that the kernels for this operation want.
std::int64_t scratch_bytes(const Target& target, const OpSpec& spec);

/// Backend::packs_first.
bool packs_first(const Target& target, const OpSpec& spec);

/// `target.kernels` and `spec` must outlive the calls.
BoundCalls bind(const Target& target, const OpSpec& spec, const Memory& memory);

/// Other ways to compute the operation, worth timing.
std::vector<KernelChoice> choices(const Target& target, const OpSpec& spec);

// dropout.cpp: Dropout masks.

/// Images [begin, end) of the mask of one Dropout step (see ops.hpp).
void fill_dropout_mask(const KernelTable& kernels, const Dropout& op, const StepState& state, std::int64_t begin,
                       std::int64_t end, float* mask);

}  // namespace regatta::engine::cpu
