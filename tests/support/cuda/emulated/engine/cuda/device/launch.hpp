// In front of the device's file of this name: the kernel enters the fake runtime's stream and is run by the emulator.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <tuple>

#include "engine/cuda/device/target.hpp"
#include "support/cuda/emulator/run.hpp"
#include "support/cuda/runtime/enqueue.hpp"

namespace regatta::engine::cuda {

struct Grid {
  dim3 blocks, threads;
  std::size_t dynamic_shared_bytes = 0;
};

void require_launch(const char* name, cudaError_t error);

template <class... Parameters, class... Arguments>
void launch(const Target& target, const char* name, const Grid& grid, void (*kernel)(Parameters...),
            Arguments... arguments) {
  using Values = std::tuple<Parameters...>;
  static_assert(sizeof(Values) <= 32764, "a kernel takes so many bytes of arguments at most");
  const emulator::LaunchShape shape{name, grid.blocks, grid.threads, grid.dynamic_shared_bytes};
  const Values values(static_cast<Parameters>(arguments)...);
  const auto run = [=] {
    const cuda_fakes::Orders wanted = cuda_fakes::orders();
    const emulator::Options options{static_cast<emulator::Order>(wanted.threads), wanted.seed};
    emulator::run(shape, options, [&] { std::apply(kernel, values); });
  };
  const cudaError_t refusal = emulator::refusal(shape);
  require_launch(name, refusal != cudaSuccess ? refusal : cuda_fakes::enqueue(target.stream, name, run));
}

}  // namespace regatta::engine::cuda
