// Dropout: masks from counter-based random numbers, the same bits as on a processor.
#pragma once

#include "engine/cuda/kernels/elements.cuh"
#include "regatta/base/random.hpp"
#include "regatta/engine/ops.hpp"

namespace regatta::engine::cuda {

struct DropElements {
  const float* x;
  float *y, *mask;
  const StepState* state;
  std::uint64_t key;          ///< from the seed and the layer
  std::int64_t first, units;  ///< place of the first sample beside the state's, numbers of each
  std::uint64_t bound;        ///< below it, in 2^24, an element is dropped
  float kept;                 ///< the mask of the others

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    drop(load<kCount>(x + at), at);
  }

  /// `from` is what stands at x(at).
  template <int kCount>
  __device__ void drop(const Pack<kCount>& from, std::int64_t at) const {
    const std::uint64_t of_step = random_bits(key, static_cast<std::uint64_t>(state->step));
    const auto first_counter = static_cast<std::uint64_t>((first + state->first_sample) * units);
    Pack<kCount> to, factor;
    for (int i = 0; i < kCount; ++i) {
      const std::uint64_t counter = first_counter + static_cast<std::uint64_t>(at + i);
      factor.at[i] = (random_bits(of_step, counter) >> 40) < bound ? 0.0F : kept;
      to.at[i] = from.at[i] * factor.at[i];
    }
    store(mask + at, factor);
    store(y + at, to);
  }
};

struct MultiplyElements {
  const float *a, *b;
  float* to;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    Pack<kCount> pack = load<kCount>(a + at);
    const Pack<kCount> by = load<kCount>(b + at);
    for (int i = 0; i < kCount; ++i) pack.at[i] *= by.at[i];
    store(to + at, pack);
  }
};

}  // namespace regatta::engine::cuda
