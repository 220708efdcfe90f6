// launch(target, "name", {grid, block}, kernel, arguments...): the one way to issue an own kernel, into the target's
// stream. Tests put another file of this name in front of it, tests/support/cuda/emulated, and with it the emulator.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

struct Grid {
  dim3 blocks, threads;
  std::size_t dynamic_shared_bytes = 0;
};

/// Throws DeviceError naming the kernel, or std::bad_alloc.
void require_launch(const char* name, cudaError_t error);

/// Whether it is worth to start before the kernel before has ended: where the device has room for all blocks.
inline bool starts_early(const Target& target, const Grid& grid) {
  const auto blocks = std::int64_t{grid.blocks.x} * grid.blocks.y * grid.blocks.z;
  return target.starts_early && blocks <= target.multiprocessors;
}

template <class... Parameters, class... Arguments>
void launch(const Target& target, const char* name, const Grid& grid, void (*kernel)(Parameters...),
            Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.dynamic_shared_bytes;
  config.stream = target.stream;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  if (starts_early(target, grid)) {
    config.attrs = &early;
    config.numAttrs = 1;
  }
  require_launch(name, cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

}  // namespace regatta::engine::cuda
