// How many squares each pair of processes serves (measuring.md R4): the same number for every pair of a comparison, so
// that no unit of its interval is worth less than another, and fixed before the first scored square, so that nothing
// measured chooses how much of it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace regatta::stats {

/// Counted in the time that one square takes.
struct PairPrice {
  double square_seconds = 1;
  double start_squares = 0;       ///< for the processes of a pair to start and to warm up
  double affordable_squares = 0;  ///< squares that the active time of the comparison holds
  /// Squares that its wall time holds if nothing is started any more.
  double wall_squares = std::numeric_limits<double>::infinity();
};

/// Scored time that is wanted of a slice: longer where a pair starts slowly, so that most of its time is scored and not
/// spent on re-entries, as long as there is time for enough pairs with two squares each. `budget_seconds`: the active
/// time of the comparison.
double wanted_slice_seconds(double start_seconds, double budget_seconds, std::size_t arms);

/// Squares that every pair serves: sqrt(start_squares), whatever the pilot shows. For a given time the variance of the
/// mean of pairs is least there, where squares of one pair scatter as pairs do (the classic optimum of two-stage
/// sampling, Cochran 1977, section 10.6). At most 20, fewer where the time does not hold two pairs of so many, and at
/// least 5, or as many as fit into 2 s.
std::int64_t squares_per_pair(const PairPrice& price);

/// How long processes of one pair take that begin side by side, the first of them where all are measured and the others
/// at so many places beside it: most of them import while models are built. Seconds; `rest` is what follows the imports
/// of all.
double side_by_side_seconds(std::span<const double> imports, double rest, std::size_t places);

}  // namespace regatta::stats
