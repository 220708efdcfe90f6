// Lines through times: of calls of several lengths (measuring.md R6) and of steps at several batches (R17).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "regatta/stats/range.hpp"

namespace regatta::stats {

/// A line through times by relative errors: short times count as much as long ones.
struct RelativeLine {
  double intercept = 0;
  double slope = 0;
  double misfit = 0;  ///< largest |log(measured / fitted)|; infinite if the line is not above 0 everywhere
};

/// Least squares with the weights 1 / seconds^2 through (x, seconds); at least two x differ.
RelativeLine relative_line(std::span<const std::pair<double, double>> points);

/// The time of a call of N steps: T = a + b N. Where that does not fit there is no step time.
struct CallTime {
  double steps = 1;
  double seconds = 0;
};

struct CallLengthFit {
  double per_call_seconds = 0;  ///< a
  double per_step_seconds = 0;  ///< b
  double residual = 0;          ///< largest |log(measured / fitted)| over the lengths
  std::size_t lengths = 0;
};

/// Least squares of relative errors on the mean call time of each length, so that short calls count as much as long
/// ones. Nothing below 3 different lengths. A residual above the margin, or a fit that is not above 0 everywhere
/// (residual infinite), means "depends on call length".
std::optional<CallLengthFit> fit_call_lengths(std::span<const CallTime> calls);

/// The time of a step at one batch: T = a + b batch. Rows are the part that grows with the batch, calls are the rest.
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
