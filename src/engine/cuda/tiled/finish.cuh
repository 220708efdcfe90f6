// What becomes of a tiled product's sums.
#pragma once

#include "engine/cuda/kernels/divider.cuh"
#include "engine/cuda/kernels/packs.cuh"
#include "engine/cuda/kernels/scalars.cuh"

namespace regatta::engine::cuda {

/// The first `count` of the pack; with kPack 4 all of it, at once.
template <int kPack>
__device__ void store_sums(float* to, const Pack<4>& pack, std::int32_t count) {
  if constexpr (kPack == 4) {
    store(to, pack);
  } else {
    REGATTA_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (i < count) to[i] = pack.at[i];
    }
  }
}

/// c(rows, columns) = activation(sum + bias); null: no bias. Bit by bit the sum, then AddBiasAndActivate.
struct StoreRows {
  float* c;
  const float* bias;
  std::int32_t columns;
  Activation activation;

  template <int kPack>
  __device__ void run(std::int32_t row, std::int32_t column, Pack<4> sum) const {
    const std::int32_t count = columns - column;
    REGATTA_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (bias != nullptr && i < count) sum.at[i] += bias[column + i];
      sum.at[i] = activated(activation, sum.at[i]);
    }
    store_sums<kPack>(c + row * columns + column, sum, count);
  }
};

/// Each `stride`th pixel of images (samples, rows, columns, channels), from a first one on: a row of the product for
/// each, a column for each channel.
struct StorePixels {
  float* x;
  Divider across, down;  ///< pixels of a sample that are stored
  std::int32_t rows, columns, channels;
  std::int32_t stride_rows, stride_columns, first_row, first_column;

  template <int kPack>
  __device__ void run(std::int32_t row, std::int32_t column, const Pack<4>& sum) const {
    const Quotient found = divide(static_cast<std::uint32_t>(row), across);
    const Quotient of_sample = divide(found.quotient, down);
    const std::int32_t at_row = signed_of(of_sample.remainder) * stride_rows + first_row;
    const std::int32_t at_column = signed_of(found.remainder) * stride_columns + first_column;
    const std::int32_t pixel = (signed_of(of_sample.quotient) * rows + at_row) * columns + at_column;
    store_sums<kPack>(x + pixel * channels + column, sum, channels - column);
  }
};

}  // namespace regatta::engine::cuda
