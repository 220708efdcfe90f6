// One CUDA device on one host thread, for tests: every CUDA thread that must wait is a fibre, and what CUDA leaves
// undefined at a barrier, a warp operation or in shared memory is an error that names line, thread and block. Not a
// tool for speed; the rounding of device functions is the host's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <stdexcept>

#include "support/cuda/emulator/options.hpp"

namespace regatta::emulator {

struct LaunchShape {
  const char* name;  ///< the kernel's, for messages
  dim3 grid, block;
  std::size_t dynamic_shared_bytes = 0;
};

/// The answer of a device to a launch that it cannot take; cudaSuccess for the others.
cudaError_t refusal(const LaunchShape& shape);

/// A mistake that a real device would answer with wrong results or not at all.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs `body` once for each thread of the launch. Throws Failure. One launch at a time; others wait.
void run(const LaunchShape& shape, const Options& options, const std::function<void()>& body);

}  // namespace regatta::emulator
