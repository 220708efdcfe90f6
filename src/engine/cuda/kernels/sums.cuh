// Sums over rows: the gradient of a bias, means over positions, and their gradient.
#pragma once

#include "engine/cuda/kernels/column_sums.cuh"

namespace regatta::engine::cuda {

/// Sums of x(rows, columns) over its rows, on top of what stood there if told so.
struct SumOfRows {
  static constexpr int kSums = 1;
  const float* x;
  float* sums;
  std::int64_t columns;
  bool adds;

  template <int kCount>
  __device__ int prepare(std::int64_t /*group*/, std::int64_t /*column*/) const {
    return 0;
  }

  template <int kCount>
  __device__ void add(int /*prepared*/, std::int64_t /*group*/, std::int64_t row, std::int64_t column,
                      Sums<1, kCount>& to) const {
    const Pack<kCount> pack = load<kCount>(x + row * columns + column);
    for (int i = 0; i < kCount; ++i) to.of[0].at[i] += pack.at[i];
  }

  template <int kCount>
  __device__ void finish(std::int64_t /*group*/, std::int64_t column, const Sums<1, kCount>& found) const {
    Pack<kCount> pack = adds ? load<kCount>(sums + column) : filled<kCount>(0.0F);
    for (int i = 0; i < kCount; ++i) pack.at[i] += found.of[0].at[i];
    store(sums + column, pack);
  }
};

/// Means over windows of positions of x(batch, length, channels): a group is an output, a row one position of its
/// window.
struct MeanOfPositions {
  static constexpr int kSums = 1;
  const float* x;
  float* y;  ///< (batch, outputs, channels)
  std::int64_t length, channels, outputs, stride, pad;
  float count;  ///< positions in a window; those outside x are zeros

  struct Window {
    const float* sample;  ///< where its first position is read
    std::int64_t begin;   ///< counted in positions of the sample; may be negative
  };

  template <int kCount>
  __device__ Window prepare(std::int64_t group, std::int64_t column) const {
    return {x + group / outputs * length * channels + column, group % outputs - pad};
  }

  template <int kCount>
  __device__ void add(const Window& window, std::int64_t /*group*/, std::int64_t row, std::int64_t /*column*/,
                      Sums<1, kCount>& to) const {
    const std::int64_t position = window.begin + row * stride;
    if (position < 0 || position >= length) return;
    const Pack<kCount> pack = load<kCount>(window.sample + position * channels);
    for (int i = 0; i < kCount; ++i) to.of[0].at[i] += pack.at[i];
  }

  /// Stores the means and returns them.
  template <int kCount>
  __device__ Pack<kCount> finish(std::int64_t group, std::int64_t column, const Sums<1, kCount>& found) const {
    Pack<kCount> pack;
    for (int i = 0; i < kCount; ++i) pack.at[i] = found.of[0].at[i] / count;
    store(y + group * channels + column, pack);
    return pack;
  }
};

/// dx(group, row, column) = dy(group, column) / length.
struct SpreadOverPositions {
  const float* dy;
  float* dx;
  std::int64_t length, channels;

  template <int kCount>
  __device__ Pack<kCount> prepare(std::int64_t group, std::int64_t column) const {
    Pack<kCount> pack = load<kCount>(dy + group * channels + column);
    for (int i = 0; i < kCount; ++i) pack.at[i] /= static_cast<float>(length);
    return pack;
  }

  template <int kCount>
  __device__ void run(const Pack<kCount>& share, std::int64_t group, std::int64_t row, std::int64_t column) const {
    store(dx + (group * length + row) * channels + column, share);
  }
};

}  // namespace regatta::engine::cuda
