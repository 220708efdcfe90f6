// The device functions that kernels use beyond plain C++ and threadIdx, blockIdx, blockDim, gridDim, __syncthreads,
// __shfl_*_sync, __ballot_sync and atomics. They are shared memory through macros, memory orders, barriers of the grid.
// Kernels include this and nothing else of CUDA. Tests put another file of this name in front of it,
// tests/support/cuda/emulated.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cuda/atomic>

/// An array of a block: REGATTA_SHARED(float, sums, [32][33]).
#define REGATTA_SHARED(type, name, extent) __shared__ type name extent

/// In front of a loop whose turns are a constant number: local arrays that it walks stay in registers.
#define REGATTA_UNROLL _Pragma("unroll")
/// So many turns of a loop at a time, a constant: what they read is on its way together.
#define REGATTA_PRAGMA(text) _Pragma(#text)
#define REGATTA_UNROLL_BY(turns) REGATTA_PRAGMA(unroll turns)
/// In front of a loop that is to stay one: its instructions are few, and those of a short kernel come slowly.
#define REGATTA_ROLLED _Pragma("unroll 1")

namespace regatta::engine::cuda::device {

/// Each kernel calls this before all else: launch() may let it start while the kernel before it runs, and what that one
/// wrote is there after. Lets the next one start.
inline __device__ void begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

template <class T>
__device__ T load_acquire(const T* place) {
  return ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(*const_cast<T*>(place)).load(::cuda::memory_order_acquire);
}

/// Adds, and makes what this thread wrote before visible to who sees the sum; sees what others made visible so.
template <class T>
__device__ T add_acquire_release(T* place, T value) {
  return ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(*place).fetch_add(value, ::cuda::memory_order_acq_rel);
}

}  // namespace regatta::engine::cuda::device
