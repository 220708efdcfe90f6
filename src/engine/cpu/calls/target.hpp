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

}  // namespace regatta::engine::cpu
