// Indices taken apart on the device.
#pragma once

#include "engine/cuda/device/device.cuh"
#include "engine/cuda/kernels/divider.hpp"

namespace regatta::engine::cuda {

struct Quotient {
  std::uint32_t quotient, remainder;
};

/// number < 2^31.
inline __device__ Quotient divide(std::uint32_t number, const Divider& by) {
  const auto high = static_cast<std::uint32_t>((std::uint64_t{number} * by.multiplier) >> 32);
  const std::uint32_t quotient = (high + number) >> by.shift;
  return {quotient, number - quotient * by.divisor};
}

inline __device__ std::int32_t signed_of(std::uint32_t index) { return static_cast<std::int32_t>(index); }

}  // namespace regatta::engine::cuda
