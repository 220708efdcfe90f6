// What the files that choose and bind kernels share.
#pragma once

#include "engine/cpu/kernels/kernel_table.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine::cpu {

using Memory = std::array<void*, kOperands>;

/// What the choice of kernels depends on beside the shape.
struct Target {
  const KernelTable* kernels;
  int threads;
};

/// What this backend notes in the calls that it binds, by place in Call::notes.
enum Note : std::size_t {
  kGrain,     ///< units a thread should take at least; 0: not worth splitting
  kTogether,  ///< neighbouring units that share what they read: fewer at a time cost more; 0: none do
  kProduces,  ///< floats of operand 2 that each unit completes, one unit after the other; 0: other ones
  kConsumes,  ///< floats that each unit reads of operand 1, one unit after the other; 0: other ones
};

}  // namespace regatta::engine::cpu
