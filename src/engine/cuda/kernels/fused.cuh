// Operations that are one kernel together: products of one term with what follows them, and neighbours.
#pragma once

#include "engine/cuda/kernels/dropout.cuh"
#include "engine/cuda/kernels/scalars.cuh"
#include "engine/cuda/kernels/sums.cuh"

namespace regatta::engine::cuda {

/// c = activation(a b + bias), times the derivative where `saved` is its output. Null: no bias, nothing saved.
struct MultiplyOuter {
  const float *a, *b, *bias, *saved;
  float* c;
  std::int64_t columns;
  Activation activation, derivative;

  /// The operands in the columns of a thread.
  template <int kCount>
  struct Row {
    Pack<kCount> b, bias;
  };

  template <int kCount>
  __device__ Row<kCount> prepare(std::int64_t /*group*/, std::int64_t column) const {
    return {load<kCount>(b + column), bias != nullptr ? load<kCount>(bias + column) : filled<kCount>(0)};
  }

  template <int kCount>
  __device__ void run(const Row<kCount>& row_of, std::int64_t /*group*/, std::int64_t row, std::int64_t column) const {
    const std::int64_t at = row * columns + column;
    Pack<kCount> pack = row_of.b;
    for (int i = 0; i < kCount; ++i) {
      pack.at[i] = a[row] * pack.at[i];
      if (bias != nullptr) pack.at[i] = pack.at[i] + row_of.bias.at[i];
      pack.at[i] = activated(activation, pack.at[i]);
    }
    if (saved != nullptr) {
      const Pack<kCount> outputs = load<kCount>(saved + at);
      for (int i = 0; i < kCount; ++i) pack.at[i] = times_derivative(derivative, pack.at[i], outputs.at[i]);
    }
    store(c + at, pack);
  }
};

/// MeanOfPositions, and the dropout of what it stores.
struct MeanDropped {
  static constexpr int kSums = 1;
  MeanOfPositions mean;
  DropElements elements;

  template <int kCount>
  __device__ MeanOfPositions::Window prepare(std::int64_t group, std::int64_t column) const {
    return mean.prepare<kCount>(group, column);
  }

  template <int kCount>
  __device__ void add(const MeanOfPositions::Window& window, std::int64_t group, std::int64_t row, std::int64_t column,
                      Sums<1, kCount>& to) const {
    mean.add<kCount>(window, group, row, column, to);
  }

  template <int kCount>
  __device__ void finish(std::int64_t group, std::int64_t column, const Sums<1, kCount>& found) const {
    elements.drop(mean.finish<kCount>(group, column, found), group * mean.channels + column);
  }
};

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
