// Rows of a table that indices choose, and the gradient of the table.
#pragma once

#include "engine/cuda/kernels/reductions.cuh"
#include "engine/cuda/kernels/tiles.cuh"

namespace regatta::engine::cuda {

struct TakeRows {
  const std::int32_t* indices;
  const float* kernel;
  float* y;
  std::int64_t units;

  template <int kCount>
  __device__ int prepare(std::int64_t /*group*/, std::int64_t /*column*/) const {
    return 0;
  }

  template <int kCount>
  __device__ void run(int /*prepared*/, std::int64_t /*group*/, std::int64_t row, std::int64_t column) const {
    store(y + row * units + column, load<kCount>(kernel + indices[row] * units + column));
  }
};

inline constexpr int kTableRows = 16;  ///< rows of a block
inline constexpr int kWarps = kThreads / kWarp;

/// Gradient of kTableRows rows (by blockIdx.x) and kWarp units (by blockIdx.y). Each warp looks through its share of
/// the indices and adds the rows of dy that it finds, in order; then the warps' sums are added, in order.
static __global__ void __launch_bounds__(kThreads)
    embedding_gradient(const std::int32_t* indices, const float* dy, float* gradient, std::int64_t rows,
                       std::int64_t vocabulary, std::int64_t units) {
  device::begin();
  REGATTA_SHARED(float, sums, [kWarps][kTableRows][kWarp]);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTableRows;
  const std::int64_t unit = static_cast<std::int64_t>(blockIdx.y) * kWarp + lane;
  for (int i = 0; i < kTableRows; ++i) sums[warp][i][lane] = 0;
  for (std::int64_t begin = warp * kWarp; begin < rows; begin += kThreads) {
    const std::int64_t place = begin + lane < rows ? indices[begin + lane] - first : -1;
    const bool is_here = place >= 0 && place < kTableRows;
    const int here = is_here ? static_cast<int>(place) : 0;
    unsigned found = __ballot_sync(kAllLanes, is_here);
    while (found != 0) {
      const int from = __ffs(static_cast<int>(found)) - 1;
      found &= found - 1;
      const int to = __shfl_sync(kAllLanes, here, from);
      if (unit < units) sums[warp][to][lane] += dy[(begin + from) * units + unit];
    }
  }
  __syncthreads();
  if (unit >= units) return;
  for (int i = warp; i < kTableRows && first + i < vocabulary; i += kWarps) {
    float sum = 0;
    for (int from = 0; from < kWarps; ++from) sum += sums[from][i][lane];
    gradient[(first + i) * units + unit] = sum;
  }
}

}  // namespace regatta::engine::cuda
