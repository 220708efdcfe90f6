// Levels that are computed: ranges, and values drawn at random but always the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace regatta::sweep {

inline constexpr std::int64_t max_levels = 1'000'000;  ///< levels of one axis

/// Both ends belong to a range, 0 <= first <= last.
struct Ends {
  std::int64_t first;
  std::int64_t last;
};

/// The same of real numbers.
struct RealEnds {
  double first;
  double last;
};

/// So many levels at equal distances, or at equal ratios (first > 0); each has at most six digits, so that it reads as
/// it was meant.
std::vector<double> linear_reals(RealEnds ends, std::int64_t count);
std::vector<double> geometric_reals(RealEnds ends, std::int64_t count);
/// first, first + step, ... up to last, with as many digits.
std::vector<double> linear_reals_by(RealEnds ends, double step);

/// How many levels steps of this size give. The last real one may miss the end by what rounding does.
std::int64_t count_of_steps(Ends ends, std::int64_t step);
double count_of_steps(RealEnds ends, double step);

/// first, first + step, ... up to last.
std::vector<std::int64_t> linear_steps(Ends ends, std::int64_t step);
/// So many levels at equal distances from first to last, rounded; equal ones stand once.
std::vector<std::int64_t> linear_count(Ends ends, std::int64_t count);
/// first, first * factor, ... up to last, rounded; equal ones stand once. factor > 1, first > 0.
std::vector<std::int64_t> geometric_steps(Ends ends, double factor);
/// So many levels at equal ratios from first to last, rounded; equal ones stand once. first > 0.
std::vector<std::int64_t> geometric_count(Ends ends, std::int64_t count);

/// Draws of one axis: a pure function of seed, axis and row.
class Draws {
 public:
  Draws(std::int64_t seed, std::string_view axis);

  /// One of first, first + step, ... up to last.
  [[nodiscard]] std::int64_t uniform(Ends ends, std::int64_t step, std::uint64_t row) const;
  /// As often between 1 and 10 as between 10 and 100. first > 0.
  [[nodiscard]] std::int64_t log_uniform(Ends ends, std::uint64_t row) const;
  /// The same of real numbers, with at most six digits; log_real: first > 0.
  [[nodiscard]] double real(RealEnds ends, std::uint64_t row) const;
  [[nodiscard]] double real_by(RealEnds ends, double step, std::uint64_t row) const;
  [[nodiscard]] double log_real(RealEnds ends, std::uint64_t row) const;
  /// A position in a list of this size.
  [[nodiscard]] std::size_t choice(std::size_t size, std::uint64_t row) const;

 private:
  [[nodiscard]] double unit(std::uint64_t row) const;  ///< in [0, 1)

  std::uint64_t seed_;
};

}  // namespace regatta::sweep
