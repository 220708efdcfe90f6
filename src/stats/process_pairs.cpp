#include "regatta/stats/process_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "regatta/stats/pilot.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {
namespace {

constexpr auto first_pairs = static_cast<double>(rules::fewest_process_pairs);
constexpr auto first_squares = static_cast<double>(rules::fewest_units);

/// Whether the first squares that may give a verdict are expected to.
bool is_clear(const ContrastForecast& contrast, const JudgeOptions& options) {
  const double size = std::abs(contrast.effect);
  if (!(size > indifference(options))) return false;  // or not known
  const double narrow = std::max(options.half_width, options.relative_half_width * size);
  const double reach = std::min(narrow, size - indifference(options)) - options.process_effect / std::sqrt(first_pairs);
  if (reach <= 0) return false;
  return expected_units(contrast.within, reach, options.alpha, rules::fewest_units + 1) <= rules::fewest_units;
}

struct SquareLimits {
  double least = 1;
  double most = 1;
};

/// Squares of each of so many pairs that both times hold.
double fitting(const PairPrice& price, double pairs) {
  const double beside_starts = price.wall_squares - (pairs - 1) * price.start_squares;  // the first pair stands
  return std::floor(std::min(price.affordable_squares, beside_starts) / pairs);
}

/// As many as leave time for enough pairs; where active time is short for that, for the fewest. Where wall time is
/// short, as many pairs as it holds with enough squares for an interval.
SquareLimits square_limits(const PairPrice& price) {
  const double of_enough = fitting(price, static_cast<double>(rules::enough_process_pairs));
  const double of_fewest = std::floor(std::min(price.affordable_squares, first_squares) / first_pairs);
  if (of_enough >= 1 || price.wall_squares >= price.affordable_squares + first_squares * price.start_squares)
    return {1, std::max({1.0, of_enough, of_fewest})};
  for (double pairs = static_cast<double>(rules::enough_process_pairs) - 1; pairs >= 1; --pairs) {
    const double least = std::ceil(first_squares / pairs);
    const double most = fitting(price, pairs);
    if (most >= least) return {least, most};
  }
  return {1, 1};
}

}  // namespace

double wanted_slice_seconds(double start_seconds, double budget_seconds, std::size_t arms) {
  if (start_seconds <= rules::slow_start_seconds) return rules::slice_seconds;
  constexpr double squares = 2 * static_cast<double>(rules::enough_process_pairs) + 2;  // squares take longer at times
  const double affordable = budget_seconds / (squares * static_cast<double>(arms * arms)) - rules::reentry_seconds;
  return std::clamp(affordable, rules::slice_seconds, rules::long_slice_seconds);
}

std::int64_t squares_per_pair(std::span<const ContrastForecast> forecasts, const PairPrice& price,
                              const JudgeOptions& options) {
  if (price.start_squares <= 1) return 1;
  const SquareLimits limits = square_limits(price);
  const double between = options.process_effect / rules::p95_spreads;
  double squares = forecasts.empty() ? std::sqrt(price.start_squares) : 1;
  for (const ContrastForecast& contrast : forecasts) {
    const double best = std::sqrt(price.start_squares) * contrast.within / between;
    squares = std::max(squares, is_clear(contrast, options) ? std::ceil(first_squares / first_pairs) : best);
  }
  return std::llround(std::clamp(squares, limits.least, limits.most));
}

}  // namespace regatta::stats
