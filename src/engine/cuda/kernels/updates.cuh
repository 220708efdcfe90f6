// The operations after the gradients: their mean over steps, the norm that clips them, the updates of parameters.
// Learning rate, corrections and scale are read on the device, so that a recorded step finds those of its time.
#pragma once

#include "engine/cuda/kernels/elements.cuh"
#include "engine/cuda/kernels/reductions.cuh"
#include "regatta/engine/ops.hpp"

namespace regatta::engine::cuda {

static __global__ void advance_state(StepState* state, double beta1, double beta2) {
  device::begin();
  ++state->step;
  state->beta1_power *= beta1;
  state->beta2_power *= beta2;
  state->correction1 = static_cast<float>(1 / (1 - state->beta1_power));
  state->correction2 = static_cast<float>(1 / (1 - state->beta2_power));
}

struct AccumulateElements {
  float *gradients, *sums;
  float steps;  ///< number of steps in the mean; 0: more follow

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const Pack<kCount> gradient = load<kCount>(gradients + at);
    Pack<kCount> sum = load<kCount>(sums + at);
    for (int i = 0; i < kCount; ++i) sum.at[i] += gradient.at[i];
    if (steps == 0.0F) return store(sums + at, sum);
    for (int i = 0; i < kCount; ++i) sum.at[i] /= steps;
    store(gradients + at, sum);
    store(sums + at, filled<kCount>(0.0F));
  }
};

/// Sets the scale by which updates clip; squares(gridDim.x) are sums of parts.
static __global__ void __launch_bounds__(kThreads)
    clip_scale(const float* gradients, std::int64_t count, double clip_norm, double* squares, unsigned* counter,
               StepState* state) {
  device::begin();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * kThreads;
  double sum = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count; i += threads) {
    const double value = gradients[i];
    sum += value * value;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) squares[blockIdx.x] = sum;
  if (!is_last_block(counter, gridDim.x)) return;
  double total = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kThreads) total += squares[i];
  total = block_sum(total);
  if (threadIdx.x != 0) return;
  const double scale = clip_norm / (sqrt(total) + 1e-6);
  state->gradient_scale = scale >= 1 ? 1.0F : static_cast<float>(scale);  // NaN stays
}

/// The gradient as updates read it; what clipping changes is written back.
template <int kCount>
__device__ Pack<kCount> clipped(float* gradients, std::int64_t at, bool clips, const StepState& state) {
  Pack<kCount> pack = load<kCount>(gradients + at);
  if (!clips) return pack;
  for (int i = 0; i < kCount; ++i) pack.at[i] *= state.gradient_scale;
  store(gradients + at, pack);
  return pack;
}

struct SgdElements {
  float *w, *g, *v;  ///< v: only with momentum
  const StepState* state;
  float momentum, weight_decay;
  bool clips;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const float rate = state->learning_rate;
    Pack<kCount> step = clipped<kCount>(g, at, clips, *state);
    if (momentum != 0.0F) {
      const Pack<kCount> before = load<kCount>(v + at);
      for (int i = 0; i < kCount; ++i) step.at[i] += momentum * before.at[i];
      store(v + at, step);
    }
    Pack<kCount> weights = load<kCount>(w + at);
    for (int i = 0; i < kCount; ++i) {
      const float decay = weight_decay == 0.0F ? 0.0F : rate * weight_decay * weights.at[i];
      weights.at[i] = weights.at[i] - rate * step.at[i] - decay;
    }
    store(w + at, weights);
  }
};

struct AdamElements {
  float *w, *g, *m, *v;
  const StepState* state;
  float beta1, rest1, beta2, rest2;  ///< rest: 1 - beta
  float epsilon, weight_decay;
  bool clips;

  template <int kCount>
  __device__ void run(std::int64_t at) const {
    const float rate = state->learning_rate;
    const Pack<kCount> gradient = clipped<kCount>(g, at, clips, *state);
    Pack<kCount> mean = load<kCount>(m + at), square = load<kCount>(v + at), weights = load<kCount>(w + at);
    for (int i = 0; i < kCount; ++i) {
      mean.at[i] = beta1 * mean.at[i] + rest1 * gradient.at[i];
      square.at[i] = beta2 * square.at[i] + rest2 * gradient.at[i] * gradient.at[i];
      const float divisor = sqrtf(square.at[i] * state->correction2) + epsilon;
      const float decay = weight_decay == 0.0F ? 0.0F : rate * weight_decay * weights.at[i];
      weights.at[i] = weights.at[i] - rate * (mean.at[i] * state->correction1) / divisor - decay;
    }
    store(m + at, mean);
    store(v + at, square);
    store(w + at, weights);
  }
};

}  // namespace regatta::engine::cuda
