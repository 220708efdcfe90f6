// Random draws of the replays: cheap, and the same everywhere for a seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "regatta/base/random.hpp"

namespace regatta::measuring {

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t bits() { return random_bits(seed_, counter_++); }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }

  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(uniform()));
    const double angle = 2 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  /// Student's t with two degrees of freedom, by its inverse.
  double t2() {
    const double u = uniform();
    return (2 * u - 1) / std::sqrt(2 * u * (1 - u));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t counter_ = 0;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace regatta::measuring
