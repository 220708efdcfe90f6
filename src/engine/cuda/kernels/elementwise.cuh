// Bias, activations, addition, and what else treats each element by itself.
#pragma once

#include "engine/cuda/kernels/elements.cuh"
#include "engine/cuda/kernels/reductions.cuh"
#include "engine/cuda/kernels/scalars.cuh"
#include "engine/cuda/kernels/tiles.cuh"

namespace regatta::engine::cuda {

struct ActivateElements {
  float* x;
  Activation activation;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    Pack<kCount> pack = load<kCount>(x + at);
    for (int i = 0; i < kCount; ++i) pack.at[i] = activated(activation, pack.at[i]);
    store(x + at, pack);
  }
};

/// x = activation(x + bias) on rows.
struct AddBiasAndActivate {
  float* x;
  const float* bias;
  std::int64_t columns;
  Activation activation;

  template <int kCount>
  __device__ Pack<kCount> prepare(std::int64_t /*group*/, std::int64_t column) const {
    return load<kCount>(bias + column);
  }

  template <int kCount>
  __device__ void run(const Pack<kCount>& added, std::int64_t /*group*/, std::int64_t row, std::int64_t column) const {
    float* const at = x + row * columns + column;
    Pack<kCount> pack = load<kCount>(at);
    for (int i = 0; i < kCount; ++i) pack.at[i] = activated(activation, pack.at[i] + added.at[i]);
    store(at, pack);
  }
};

struct MultiplyDerivative {
  float* dx;
  const float* y;
  Activation activation;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    Pack<kCount> pack = load<kCount>(dx + at);
    const Pack<kCount> of = load<kCount>(y + at);
    for (int i = 0; i < kCount; ++i) pack.at[i] = times_derivative(activation, pack.at[i], of.at[i]);
    store(dx + at, pack);
  }
};

struct AddElements {
  float* x;
  const float* y;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    Pack<kCount> pack = load<kCount>(x + at);
    const Pack<kCount> more = load<kCount>(y + at);
    for (int i = 0; i < kCount; ++i) pack.at[i] += more.at[i];
    store(x + at, pack);
  }
};

struct FillElements {
  float* x;
  float value;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    store(x + at, filled<kCount>(value));
  }
};

struct RoundToBf16 {
  const float* from;
  std::uint16_t* to;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    struct alignas(2 * kCount) Halves {
      std::uint16_t at[kCount];
    };
    const Pack<kCount> pack = load<kCount>(from + at);
    Halves halves;
    for (int i = 0; i < kCount; ++i) halves.at[i] = rounded_to_bf16(pack.at[i]);
    *reinterpret_cast<Halves*>(to + at) = halves;
  }
};

/// Rows of x, `lanes` threads a row.
static __global__ void __launch_bounds__(kThreads)
    softmax_rows(float* x, std::int64_t rows, std::int64_t columns, int lanes) {
  device::begin();
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / lanes;
  const std::int64_t lane = thread % lanes;
  const std::int64_t end = row < rows ? columns : 0;
  float* const at = x + row * columns;
  float top = -INFINITY;
  for (std::int64_t i = lane; i < end; i += lanes) top = fmaxf(top, at[i]);
  top = lane_maximum(top, lanes);
  float sum = 0;
  for (std::int64_t i = lane; i < end; i += lanes) sum += expf(at[i] - top);
  sum = lane_sum(sum, lanes);
  for (std::int64_t i = lane; i < end; i += lanes) at[i] = expf(at[i] - top) / sum;
}

static __global__ void square_one(const float* x, float* y) {
  device::begin();
  *y = *x * *x;
}

static __global__ void square_gradient_one(const float* x, const float* dy, float* dx) {
  device::begin();
  *dx = 2.0F * *x * *dy;
}

}  // namespace regatta::engine::cuda
