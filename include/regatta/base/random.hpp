// Counter-based pseudo-random numbers: a pure function of (seed, counter), so that any process can
// compute any element without state. SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom
// number generators, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace regatta {

constexpr std::uint64_t kCounterFactor = 0x9e3779b97f4a7c15ULL;

/// The offset of all counters of one seed.
constexpr std::uint64_t counters_of(std::uint64_t seed) { return seed * 0xd1342543de82ef95ULL; }

/// `z`, one number or a vector of them, mixed. Always inlined, as kernels for newer processors use it.
template <class Bits>
[[gnu::always_inline]] constexpr Bits mixed(Bits z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// 64 uniform bits for (seed, counter).
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  return mixed(counters_of(seed) + (counter + 1) * kCounterFactor);
}

/// Uniform in [0, 1) with 24 bits, exactly representable as float.
constexpr float random_unit(std::uint64_t seed, std::uint64_t counter) {
  return static_cast<float>(random_bits(seed, counter) >> 40) * 0x1p-24F;
}

}  // namespace regatta
