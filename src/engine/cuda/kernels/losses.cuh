// Losses in one launch: sample losses and probabilities, gradient, and by the last block the mean.
#pragma once

#include "engine/cuda/kernels/reductions.cuh"
#include "regatta/engine/ops.hpp"

namespace regatta::engine::cuda {

/// Operands of Loss, and which of its parts are computed.
struct LossView {
  const float* prediction;
  const float* target;
  const std::int32_t* classes;
  float *probabilities, *samples, *mean, *gradient;
  bool takes_samples, takes_mean, takes_gradient;
  std::int64_t rows, columns;
  int lanes;    ///< threads of a row
  float share;  ///< weight of an element, or with classes of a row, in the mean whose gradient it is
};

/// The elements that one thread takes: [lane, end) in steps of `lanes`, in the row that begins at `first`.
struct RowPart {
  std::int64_t row, first, lane, end;
};

using LossKind = model::Loss;

inline __device__ float squared_error(const LossView& view, const RowPart& part) {
  float sum = 0;
  for (std::int64_t i = part.lane; i < part.end; i += view.lanes) {
    const float difference = view.prediction[part.first + i] - view.target[part.first + i];
    sum += difference * difference;
  }
  return lane_sum(sum, view.lanes) / static_cast<float>(view.columns);
}

/// From logits z: max(z, 0) - z y + log(1 + exp(-|z|)).
inline __device__ float binary_entropy(const LossView& view, const RowPart& part) {
  float sum = 0;
  for (std::int64_t i = part.lane; i < part.end; i += view.lanes) {
    const float z = view.prediction[part.first + i];
    sum += fmaxf(z, 0.0F) - z * view.target[part.first + i] + log1pf(expf(-fabsf(z)));
    view.probabilities[part.first + i] = 1.0F / (1.0F + expf(-z));
  }
  return lane_sum(sum, view.lanes) / static_cast<float>(view.columns);
}

/// From logits z: log(sum exp z) - z[class].
inline __device__ float categorical_entropy(const LossView& view, const RowPart& part) {
  const float* const z = view.prediction + part.first;
  float top = -INFINITY;
  for (std::int64_t i = part.lane; i < part.end; i += view.lanes) top = fmaxf(top, z[i]);
  top = lane_maximum(top, view.lanes);
  float sum = 0;
  for (std::int64_t i = part.lane; i < part.end; i += view.lanes) sum += expf(z[i] - top);
  sum = lane_sum(sum, view.lanes);
  for (std::int64_t i = part.lane; i < part.end; i += view.lanes) {
    view.probabilities[part.first + i] = expf(z[i] - top) / sum;
  }
  return part.end > 0 ? logf(sum) + (top - z[view.classes[part.row]]) : 0.0F;
}

template <LossKind kKind>
__device__ float sample_loss(const LossView& view, const RowPart& part) {
  if constexpr (kKind == LossKind::mse) return squared_error(view, part);
  if constexpr (kKind == LossKind::binary_crossentropy) return binary_entropy(view, part);
  return categorical_entropy(view, part);
}

/// Each thread reads the probabilities that it wrote itself.
template <LossKind kKind>
__device__ void loss_gradient(const LossView& view, const RowPart& part) {
  for (std::int64_t i = part.lane; i < part.end; i += view.lanes) {
    const std::int64_t at = part.first + i;
    if constexpr (kKind == LossKind::mse) {
      view.gradient[at] = 2.0F * (view.prediction[at] - view.target[at]) * view.share;
    } else if constexpr (kKind == LossKind::binary_crossentropy) {
      view.gradient[at] = (view.probabilities[at] - view.target[at]) * view.share;
    } else {
      const float is_class = view.classes[part.row] == i ? 1.0F : 0.0F;
      view.gradient[at] = (view.probabilities[at] - is_class) * view.share;
    }
  }
}

/// In double: the mean is what people compare.
inline __device__ void store_mean(const LossView& view) {
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < view.rows; i += kThreads) sum += view.samples[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *view.mean = static_cast<float>(sum / static_cast<double>(view.rows));
}

template <LossKind kKind>
__global__ void __launch_bounds__(kThreads) loss(LossView view, unsigned* counter) {
  device::begin();
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t row = thread / view.lanes;
  const RowPart part{row, row * view.columns, thread % view.lanes, row < view.rows ? view.columns : 0};
  if (view.takes_samples) {
    const float value = sample_loss<kKind>(view, part);
    if (part.lane == 0 && part.end > 0) view.samples[row] = value;
  }
  if (view.takes_gradient) loss_gradient<kKind>(view, part);
  if (view.takes_mean && is_last_block(counter, gridDim.x)) store_mean(view);
}

}  // namespace regatta::engine::cuda
