// The end of a tiled product: its sums get bias, activation or derivative, and are stored.
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

template <Activation kActivation>
struct ActivationConstant {
  __device__ constexpr Activation operator()() const { return kActivation; }
};

/// Calls visit(of) where of() is the activation, a constant: its switch is outside of loops.
template <class Visit>
__device__ void for_activation(Activation activation, const Visit& visit) {
  switch (activation) {
    case Activation::relu:
      return visit(ActivationConstant<Activation::relu>());
    case Activation::sigmoid:
      return visit(ActivationConstant<Activation::sigmoid>());
    case Activation::tanh:
      return visit(ActivationConstant<Activation::tanh>());
    case Activation::none:
    case Activation::softmax:
      break;
  }
}

/// x(at), x(at + 1) ... times the derivative of the activation whose output `saved` holds; null: of none. Bit by bit
/// MultiplyDerivative.
inline __device__ void multiply_by_derivative(Pack<4>& x, Activation activation, const float* saved, std::int32_t at,
                                              std::int32_t count) {
  if (saved == nullptr) return;
  Pack<4> outputs = {};
  REGATTA_UNROLL
  for (int i = 0; i < 4; ++i) {
    if (i < count) outputs.at[i] = saved[at + i];
  }
  for_activation(activation, [&](auto of) {
    REGATTA_UNROLL
    for (int i = 0; i < 4; ++i) x.at[i] = times_derivative(of(), x.at[i], outputs.at[i]);
  });
}

/// c(rows, columns) = activation(sum + bias), times the derivative of the activation whose output is `saved`; null: no
/// bias, no derivative. Bit by bit the sum, AddBiasAndActivate, MultiplyDerivative.
struct StoreRows {
  float* c;
  const float* bias;
  std::int32_t columns;
  Activation activation;
  const float* saved = nullptr;
  Activation derivative = Activation::none;

  template <int kPack>
  __device__ void run(std::int32_t row, std::int32_t column, Pack<4> sum) const {
    const std::int32_t at = row * columns + column, count = columns - column;
    REGATTA_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (bias != nullptr && i < count) sum.at[i] += bias[column + i];
    }
    for_activation(activation, [&](auto of) {
      REGATTA_UNROLL
      for (int i = 0; i < 4; ++i) sum.at[i] = activated(of(), sum.at[i]);
    });
    multiply_by_derivative(sum, derivative, saved, at, count);
    store_sums<kPack>(c + at, sum, count);
  }
};

/// Each `stride`th pixel of images (samples, rows, columns, channels), from a first one on: a row of the product for
/// each, a column for each channel. Times the derivative of the activation whose output is `saved`; null: of none. Bit
/// by bit the sum, then MultiplyDerivative.
struct StorePixels {
  float* x;
  const float* saved;
  Activation derivative;
  Divider across, down;  ///< pixels of a sample that are stored
  std::int32_t rows, columns, channels;
  std::int32_t stride_rows, stride_columns, first_row, first_column;

  template <int kPack>
  __device__ void run(std::int32_t row, std::int32_t column, Pack<4> sum) const {
    const Quotient found = divide(static_cast<std::uint32_t>(row), across);
    const Quotient of_sample = divide(found.quotient, down);
    const std::int32_t at_row = signed_of(of_sample.remainder) * stride_rows + first_row;
    const std::int32_t at_column = signed_of(found.remainder) * stride_columns + first_column;
    const std::int32_t pixel = (signed_of(of_sample.quotient) * rows + at_row) * columns + at_column;
    const std::int32_t at = pixel * channels + column, count = channels - column;
    multiply_by_derivative(sum, derivative, saved, at, count);
    store_sums<kPack>(x + at, sum, count);
  }
};

}  // namespace regatta::engine::cuda
