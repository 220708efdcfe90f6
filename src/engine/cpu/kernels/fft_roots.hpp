// Tables for Fourier transforms, made by the compiler: files of kernels hold no code that runs at start-up.
#pragma once

#include <numbers>

#include "regatta/model/fft_tiling.hpp"

namespace regatta::engine::cpu {
namespace {

/// A root of unity, on a circle of most_fft_points.
struct Root {
  float cosine, sine;
};

/// Taylor series about 0 for an angle of at most pi / 4.
constexpr double series(double angle, double term, int order) {
  double total = 0;
  for (int i = order; i < order + 24; i += 2) {
    total += term;
    term *= -angle * angle / ((i + 1) * (i + 2));
  }
  return total;
}
constexpr double small_cosine(double angle) { return series(angle, 1, 0); }
constexpr double small_sine(double angle) { return series(angle, angle, 1); }

/// From the nearest multiple of a quarter of the circle, where the series is short.
constexpr Root root(std::int64_t k) {
  constexpr std::int64_t kEighth = model::most_fft_points / 8;
  const std::int64_t quarter = (k + kEighth) / (2 * kEighth);  // the nearest multiple of pi / 2
  const double rest = static_cast<double>(k - 2 * kEighth * quarter) * 2 * std::numbers::pi /
                      static_cast<double>(model::most_fft_points);
  const double cosine = small_cosine(rest), sine = small_sine(rest);
  switch (quarter % 4) {
    case 0:
      return {static_cast<float>(cosine), static_cast<float>(sine)};
    case 1:
      return {static_cast<float>(-sine), static_cast<float>(cosine)};
    default:
      return {static_cast<float>(-cosine), static_cast<float>(-sine)};
  }
}

struct Roots {
  Root of[model::most_fft_points / 2];
};

constexpr Roots all_roots() {
  Roots roots{};
  for (std::int64_t k = 0; k < model::most_fft_points / 2; ++k) roots.of[k] = root(k);
  return roots;
}

constexpr Roots kRoots = all_roots();

struct Reversals {
  std::uint16_t of[model::most_fft_points];
};

/// Bits in reversed order, of numbers below most_fft_points.
constexpr Reversals all_reversals() {
  Reversals reversals{};
  for (std::int64_t i = 1; i < model::most_fft_points; ++i) {
    const std::int64_t half = reversals.of[i / 2] / 2;
    reversals.of[i] = static_cast<std::uint16_t>(i % 2 == 0 ? half : half + model::most_fft_points / 2);
  }
  return reversals;
}

constexpr Reversals kReversals = all_reversals();

}  // namespace
}  // namespace regatta::engine::cpu
