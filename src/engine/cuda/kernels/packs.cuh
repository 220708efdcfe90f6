// Floats that lie side by side, read and written at once: four of them where addresses and counts allow.
#pragma once

#include <cstdint>

#include "engine/cuda/device/device.cuh"

namespace regatta::engine::cuda {

inline constexpr int kThreads = 256;  ///< threads in a block of every kernel here
inline constexpr int kWarp = 32;

template <int kCount>
struct alignas(4 * kCount) Pack {
  float at[kCount];
};

/// `from` is aligned to the pack.
template <int kCount>
__device__ Pack<kCount> load(const float* from) {
  return *reinterpret_cast<const Pack<kCount>*>(from);
}

template <int kCount>
__device__ void store(float* to, const Pack<kCount>& pack) {
  *reinterpret_cast<Pack<kCount>*>(to) = pack;
}

template <int kCount>
__device__ Pack<kCount> filled(float value) {
  Pack<kCount> pack;
  for (int i = 0; i < kCount; ++i) pack.at[i] = value;
  return pack;
}

}  // namespace regatta::engine::cuda
