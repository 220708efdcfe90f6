#include "regatta/stats/process_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/slices.hpp"

namespace regatta::stats {
namespace {

/// Squares of each of so many pairs that both times hold.
double fitting(const PairPrice& price, double pairs) {
  const double beside_starts = price.wall_squares - (pairs - 1) * price.start_squares;  // the first pair stands
  return std::floor(std::min(price.affordable_squares, beside_starts) / pairs);
}

/// Squares that a pair serves once its processes stand, whatever time is left.
double squares_at_least(const PairPrice& price) {
  return std::clamp(std::floor(rules::least_pair_seconds / price.square_seconds), 1.0, rules::least_squares_each);
}

}  // namespace

double wanted_slice_seconds(double start_seconds, double budget_seconds, std::size_t arms) {
  if (start_seconds <= rules::slow_start_seconds) return rules::slice_seconds;
  constexpr double squares = 2 * static_cast<double>(rules::enough_process_pairs) + 2;  // squares take longer at times
  const auto slices = static_cast<double>(arms * rounds_per_square(arms));
  const double affordable = budget_seconds / (squares * slices) - rules::reentry_seconds;
  return std::clamp(affordable, rules::slice_seconds, rules::long_slice_seconds);
}

std::int64_t squares_per_pair(const PairPrice& price) {
  const double wanted =
      std::clamp(std::round(std::sqrt(price.start_squares)), squares_at_least(price), rules::most_squares_each);
  const double affordable = fitting(price, static_cast<double>(rules::fewest_process_pairs));
  return std::llround(std::max(squares_at_least(price), std::min(wanted, affordable)));
}

double side_by_side_seconds(std::span<const double> imports, double rest, std::size_t places) {
  const double all = std::accumulate(imports.begin(), imports.end(), 0.0);
  if (places == 0 || imports.empty()) return all + rest;
  return std::max((all - imports.front()) / static_cast<double>(places), imports.front() + rest);
}

}  // namespace regatta::stats
