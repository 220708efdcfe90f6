// The part of CUDA C++ that kernels may use, for a host compiler. Words that are not here may not be used: atomics on
// floats (no fixed order), __activemask, volatile and fences (no checker sees what they order), fast mathematics.
#pragma once

#include <cuda_runtime.h>
#include <math.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>

#include "support/cuda/emulator/device_side.hpp"

#undef __global__
#undef __device__
#undef __host__
#undef __forceinline__
#undef __noinline__
#undef __restrict__
#undef __launch_bounds__
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __restrict__ __restrict
#define __launch_bounds__(...)

#define threadIdx (::regatta::emulator::ids().thread)
#define blockIdx (::regatta::emulator::ids().block)
#define blockDim (::regatta::emulator::ids().block_dim)
#define gridDim (::regatta::emulator::ids().grid_dim)

inline constexpr int warpSize = 32;

/// The line that calls, as last parameters of a function.
#define REGATTA_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace regatta::emulator {

template <class T>
std::uint64_t bits_of(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
T value_of(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The lane's own value where `source` lies outside its part of the warp, which is `width` lanes wide.
template <class T>
T shuffle(const char* name, unsigned mask, T value, int source, int width, Where where) {
  const int lane = ids().lane;
  const int begin = lane & ~(width - 1);
  const bool inside = source >= begin && source < begin + width;
  const WarpOperation operation{WarpKind::shuffle, name, mask, bits_of(value), inside ? source : lane};
  return value_of<T>(join_warp(operation, where));
}

}  // namespace regatta::emulator

inline void __syncthreads(REGATTA_CALLER) { regatta::emulator::block_barrier({file, line}); }

inline void __syncwarp(unsigned mask = 0xffffffffU, REGATTA_CALLER) {
  regatta::emulator::join_warp({regatta::emulator::WarpKind::barrier, "__syncwarp", mask}, {file, line});
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize, REGATTA_CALLER) {
  const int begin = regatta::emulator::ids().lane & ~(width - 1);
  source = begin + (source & (width - 1));
  return regatta::emulator::shuffle("__shfl_sync", mask, value, source, width, {file, line});
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize, REGATTA_CALLER) {
  const int source = regatta::emulator::ids().lane - static_cast<int>(delta);
  return regatta::emulator::shuffle("__shfl_up_sync", mask, value, source, width, {file, line});
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize, REGATTA_CALLER) {
  const int source = regatta::emulator::ids().lane + static_cast<int>(delta);
  return regatta::emulator::shuffle("__shfl_down_sync", mask, value, source, width, {file, line});
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize, REGATTA_CALLER) {
  const int source = regatta::emulator::ids().lane ^ lanes;
  return regatta::emulator::shuffle("__shfl_xor_sync", mask, value, source, width, {file, line});
}

inline unsigned __ballot_sync(unsigned mask, int vote, REGATTA_CALLER) {
  const auto value = static_cast<std::uint64_t>(vote != 0);
  return static_cast<unsigned>(
      regatta::emulator::join_warp({regatta::emulator::WarpKind::vote, "__ballot_sync", mask, value}, {file, line}));
}

inline int __any_sync(unsigned mask, int vote, REGATTA_CALLER) { return __ballot_sync(mask, vote, file, line) != 0; }

inline int __all_sync(unsigned mask, int vote, REGATTA_CALLER) { return __ballot_sync(mask, vote, file, line) == mask; }

// Atomics order nothing: device::add_acquire_release does.
template <std::integral T>
T atomicAdd(T* place, std::type_identity_t<T> value) {
  return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}

template <std::integral T>
T atomicMax(T* place, std::type_identity_t<T> value) {
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (old < value && !__atomic_compare_exchange_n(place, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <std::integral T>
T atomicMin(T* place, std::type_identity_t<T> value) {
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (old > value && !__atomic_compare_exchange_n(place, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <std::integral T>
T atomicOr(T* place, std::type_identity_t<T> value) {
  return __atomic_fetch_or(place, value, __ATOMIC_RELAXED);
}

template <std::integral T>
T atomicExch(T* place, std::type_identity_t<T> value) {
  return __atomic_exchange_n(place, value, __ATOMIC_RELAXED);
}

template <std::integral T>
T atomicCAS(T* place, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

template <class T>
T __ldg(const T* place) {
  return *place;
}

using std::max;
using std::min;

inline float rsqrtf(float x) { return 1.0F / sqrtf(x); }
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline int __ffs(int bits) { return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1; }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} * b) >> 32); }
