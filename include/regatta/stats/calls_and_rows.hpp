// The time of a step at several batches: T = a + b batch (measuring.md, R17). What does not grow with the batch are
// calls, what does are rows.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "regatta/stats/range.hpp"

namespace regatta::stats {

struct BatchTime {
  double batch = 1;
  double step_seconds = 0;
};

/// The times of all batches in one square or one set of processes: what one line goes through.
using BatchTimes = std::vector<BatchTime>;

struct CallsAndRows {
  Estimate calls_seconds;      ///< a: median over the lines; its interval is infinite below 7 lines, empty if a moved
  double seconds_per_row = 0;  ///< b: median over the lines
  double misfit = 0;           ///< median over the lines of the largest |log(measured / fitted)|; 0 with two batches
  std::size_t lines = 0;
};

/// One line for each of `lines`, by least squares of relative errors, and the interval of the median of their a at any
/// time (confidence_sequence.hpp). `process_effect` >= 0 (log) widens it by that share of the time at batch 1: what
/// lines through the same processes cannot tell. Lines through fewer than two different batches, or through times that
/// are not above 0, are left out; nothing if none is left.
std::optional<CallsAndRows> fit_calls_and_rows(std::span<const BatchTimes> lines, double alpha, double process_effect);

}  // namespace regatta::stats
