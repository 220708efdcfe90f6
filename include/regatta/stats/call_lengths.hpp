// The time of a call of N steps: T = a + b N (measuring.md R6). Where that does not fit there is no step time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace regatta::stats {

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
/// ones. Nothing below 4 different lengths. A residual above the margin, or a fit that is not above 0 everywhere
/// (residual infinite), means "depends on call length".
std::optional<CallLengthFit> fit_call_lengths(std::span<const CallTime> calls);

}  // namespace regatta::stats
