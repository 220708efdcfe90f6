// The target that kernels and products are issued to. It is one stream in order: later work finds the workspace and the
// counters free again.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

#include "regatta/engine/ops.hpp"

namespace regatta::engine::cuda {

/// Memory of the operands, as listed with each operation; the device's.
using Memory = std::array<void*, kOperands>;

struct Target {
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;  ///< uninitialised, aligned to 256 bytes; for one issue at a time
  std::int64_t workspace_bytes = 0;
  unsigned* counters = nullptr;  ///< kCounters zeros; whoever counts puts zeros back
  int multiprocessors = 1;
  bool starts_early = false;  ///< kernels of few blocks start while the one before them ends
};

inline constexpr int kCounters = 4096;
inline constexpr std::int64_t kWorkspaceBytes = std::int64_t{32}
                                                << 20;  ///< size that cuBLASLt wants on compute capability 9.0

}  // namespace regatta::engine::cuda
