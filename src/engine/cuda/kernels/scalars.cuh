// Functions of one number: the same for single operations and fused ones, so that both give the same bits.
#pragma once

#include "engine/cuda/device/device.cuh"
#include "regatta/engine/layer_ops.hpp"

namespace regatta::engine::cuda {

inline __device__ float activated(Activation activation, float x) {
  switch (activation) {
    case Activation::relu:
      return x <= 0.0F ? 0.0F : x;  // NaN stays
    case Activation::sigmoid:
      return 1.0F / (1.0F + expf(-x));
    case Activation::tanh:
      return tanhf(x);
    case Activation::none:
    case Activation::softmax:
      break;
  }
  return x;
}

/// x times the derivative of the activation where its output is y.
inline __device__ float times_derivative(Activation activation, float x, float y) {
  switch (activation) {
    case Activation::relu:
      return x * (y <= 0.0F ? 0.0F : 1.0F);
    case Activation::sigmoid:
      return x * (y * (1.0F - y));
    case Activation::tanh:
      return x * (1.0F - y * y);
    case Activation::none:
    case Activation::softmax:
      break;
  }
  return x;
}

/// Rounds to nearest, ties to even.
inline __device__ std::uint16_t rounded_to_bf16(float x) { return __bfloat16_as_ushort(__float2bfloat16_rn(x)); }

/// The factor of a normalization: 1 / sqrt(variance + epsilon).
inline __device__ float scale_of(float variance, float epsilon) { return 1.0F / sqrtf(variance + epsilon); }

}  // namespace regatta::engine::cuda
