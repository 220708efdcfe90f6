// One kernel for all that is computed element by element: op.run<kCount>(first) does elements [first, first + kCount).
#pragma once

#include "engine/cuda/kernels/packs.cuh"

namespace regatta::engine::cuda {

template <int kCount, class Op>
__global__ void __launch_bounds__(kThreads) each_element(Op op, std::int64_t count) {
  device::begin();
  const std::int64_t packs = (count + kCount - 1) / kCount;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < packs; i += threads) {
    const std::int64_t first = i * kCount;
    if (first + kCount <= count) {
      op.template run<kCount>(first);
    } else {
      for (std::int64_t at = first; at < count; ++at) op.template run<1>(at);
    }
  }
}

}  // namespace regatta::engine::cuda
