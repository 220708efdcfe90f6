// Normalization of rows, a warp or less for each: forward, and the gradient of the input.
#pragma once

#include "engine/cuda/kernels/reductions.cuh"
#include "engine/cuda/kernels/scalars.cuh"

namespace regatta::engine::cuda {

/// `lanes` threads a row, which take packs of it in turn.
struct RowLanes {
  std::int64_t rows, columns;
  int lanes;
};

/// The row of this thread and its part of it: packs that begin at `first`, first + step, ... below `end`.
struct LanePlace {
  std::int64_t row, first, step, end;
};

template <int kCount>
__device__ LanePlace lane_place(const RowLanes& shape) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t row = thread / shape.lanes;
  return {row, thread % shape.lanes * kCount, std::int64_t{shape.lanes} * kCount, row < shape.rows ? shape.columns : 0};
}

template <int kCount>
__global__ void __launch_bounds__(kThreads)
    normalize_rows(RowLanes shape, const float* x, float* y, const float* gamma, const float* beta, float* moments) {
  device::begin();
  const LanePlace place = lane_place<kCount>(shape);
  const float* const from = x + place.row * shape.columns;
  float sum = 0;
  for (std::int64_t at = place.first; at < place.end; at += place.step) {
    const Pack<kCount> pack = load<kCount>(from + at);
    for (int i = 0; i < kCount; ++i) sum += pack.at[i];
  }
  const float mean = lane_sum(sum, shape.lanes) / static_cast<float>(shape.columns);
  float squares = 0;
  for (std::int64_t at = place.first; at < place.end; at += place.step) {
    const Pack<kCount> pack = load<kCount>(from + at);
    for (int i = 0; i < kCount; ++i) squares += (pack.at[i] - mean) * (pack.at[i] - mean);
  }
  const float scale =
      scale_of(lane_sum(squares, shape.lanes) / static_cast<float>(shape.columns), kNormalizationEpsilon);
  for (std::int64_t at = place.first; at < place.end; at += place.step) {
    Pack<kCount> pack = load<kCount>(from + at);
    const Pack<kCount> factor = load<kCount>(gamma + at), added = load<kCount>(beta + at);
    for (int i = 0; i < kCount; ++i) pack.at[i] = (pack.at[i] - mean) * scale * factor.at[i] + added.at[i];
    store(y + place.row * shape.columns + at, pack);
  }
  if (place.first != 0 || place.end == 0) return;
  moments[place.row] = mean;
  moments[shape.rows + place.row] = scale;
}

template <int kCount>
__global__ void __launch_bounds__(kThreads) row_input_gradients(RowLanes shape, const float* dy, const float* x,
                                                                const float* gamma, const float* moments, float* dx) {
  device::begin();
  const LanePlace place = lane_place<kCount>(shape);
  const std::int64_t first = place.row * shape.columns;
  const bool has_row = place.end > 0;
  const float mean = has_row ? moments[place.row] : 0.0F;
  const float scale = has_row ? moments[shape.rows + place.row] : 0.0F;
  float shift = 0, slope = 0;
  for (std::int64_t at = place.first; at < place.end; at += place.step) {
    const Pack<kCount> gradient = load<kCount>(dy + first + at), factor = load<kCount>(gamma + at);
    const Pack<kCount> pack = load<kCount>(x + first + at);
    for (int i = 0; i < kCount; ++i) {
      const float g = gradient.at[i] * factor.at[i];
      shift += g;
      slope += g * ((pack.at[i] - mean) * scale);
    }
  }
  shift = lane_sum(shift, shape.lanes) / static_cast<float>(shape.columns);
  slope = lane_sum(slope, shape.lanes) / static_cast<float>(shape.columns);
  for (std::int64_t at = place.first; at < place.end; at += place.step) {
    const Pack<kCount> gradient = load<kCount>(dy + first + at), factor = load<kCount>(gamma + at);
    Pack<kCount> pack = load<kCount>(x + first + at);
    for (int i = 0; i < kCount; ++i) {
      const float xhat = (pack.at[i] - mean) * scale;
      pack.at[i] = scale * (gradient.at[i] * factor.at[i] - shift - xhat * slope);
    }
    store(dx + first + at, pack);
  }
}

}  // namespace regatta::engine::cuda
