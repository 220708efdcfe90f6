// Sums across threads, each in an order that depends on nothing but the number of threads.
#pragma once

#include "engine/cuda/kernels/packs.cuh"

namespace regatta::engine::cuda {

inline constexpr unsigned kAllLanes = 0xffffffffU;

/// Over the `lanes` threads (a power of two, at most a warp) that lie together; all of them get it. All threads of the
/// warp call.
template <class T>
__device__ T lane_sum(T value, int lanes) {
  for (int step = lanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

/// Numbers, not NaN: what a comparison with NaN drops is found again by whoever subtracts.
inline __device__ float lane_maximum(float value, int lanes) {
  for (int step = lanes / 2; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}

/// Over all threads of the block; all of them get it. All of them call; between two calls they meet at a barrier.
inline __device__ double block_sum(double value) {
  REGATTA_SHARED(double, warps, [kThreads / kWarp]);
  value = lane_sum(value, kWarp);
  if (threadIdx.x % kWarp == 0) warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < kThreads / kWarp; ++i) sum += warps[i];
  return sum;
}

/// Whether all other `blocks` that share the counter have come here before: what they wrote is visible then, and the
/// counter stands at zero again. All threads of the block call, once in a kernel, and meet in it.
inline __device__ bool is_last_block(unsigned* counter, unsigned blocks) {
  REGATTA_SHARED(bool, is_last, [1]);
  __syncthreads();
  if (blocks == 1) return true;
  if (threadIdx.x == 0) {
    is_last[0] = device::add_acquire_release(counter, 1U) == blocks - 1;
    if (is_last[0]) *counter = 0;
  }
  __syncthreads();
  return is_last[0];
}

}  // namespace regatta::engine::cuda
