// Neighbouring operations as one kernel.
#pragma once

#include "engine/cuda/kernels/tiles.cuh"

namespace regatta::engine::cuda {

/// dropped(group, column) = dy mask; dx(group, row, column) = dropped / length.
struct SpreadDropped {
  const float *dy, *mask;
  float *dropped, *dx;
  std::int64_t length, channels;

  template <int kCount>
  __device__ Pack<kCount> prepare(std::int64_t group, std::int64_t column) const {
    Pack<kCount> pack = load<kCount>(dy + group * channels + column);
    const Pack<kCount> factors = load<kCount>(mask + group * channels + column);
    for (int i = 0; i < kCount; ++i) pack.at[i] *= factors.at[i];
    return pack;
  }

  template <int kCount>
  __device__ void run(const Pack<kCount>& value, std::int64_t group, std::int64_t row, std::int64_t column) const {
    if (row == 0) store(dropped + group * channels + column, value);
    Pack<kCount> share = value;
    for (int i = 0; i < kCount; ++i) share.at[i] /= static_cast<float>(length);
    store(dx + (group * length + row) * channels + column, share);
  }
};

}  // namespace regatta::engine::cuda
