// How many squares each pair of processes serves (measuring.md R4): the same number for every pair of a comparison, so
// that no unit of its interval is worth less than another, and fixed before the first scored square, so that nothing
// measured chooses how much of it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// What a pilot foretells of a contrast. Logs are natural.
struct ContrastForecast {
  double effect = std::numeric_limits<double>::quiet_NaN();  ///< log ratio, about
  double within = 0;                                         ///< spread of the squares of one pair (log)
};

/// Counted in the time that one square takes.
struct PairPrice {
  double start_squares = 0;       ///< for the processes of a pair to start and to warm up
  double affordable_squares = 0;  ///< that the active time of the comparison holds
  /// Squares that its wall time holds if nothing is started any more.
  double wall_squares = std::numeric_limits<double>::infinity();
};

/// Scored time that is wanted of a slice: longer where a pair starts slowly, so that most of its time is scored and not
/// spent on re-entries, as long as there is time for enough pairs with two squares each. `budget_seconds`: the active
/// time of the comparison.
double wanted_slice_seconds(double start_seconds, double budget_seconds, std::size_t arms);

/// Squares that every pair serves, at least 1. The variance of the mean of pairs is least for a given time at
/// sqrt(start_squares) x within / between (the classic optimum of two-stage sampling, Cochran 1977, section 10.6),
/// where `between` follows from options.process_effect; without forecasts both spreads count as alike. At most as many
/// as leave time for 7 pairs; where the wall time holds fewer, as few as make an interval from the pairs that it holds,
/// and more as far as there is time. Contrasts that 9 squares are expected to decide take 3 pairs of 3, where a start
/// takes longer than a square. Of several contrasts the one that needs most decides.
std::int64_t squares_per_pair(std::span<const ContrastForecast> forecasts, const PairPrice& price,
                              const JudgeOptions& options);

}  // namespace regatta::stats
