// The scored slices of two arms that take turns: what a verdict is made of.
#pragma once

#include <cstdint>
#include <vector>

namespace regatta::stats {

/// One scored slice of one arm of a contrast.
struct SliceValue {
  double seconds = 0;              ///< wall time of the slice, stalls included; what a metric counts that is no time
  double work = 1;                 ///< steps, or samples (R1)
  std::uint32_t process = 0;       ///< counts the processes of this arm from 0
  std::uint32_t square = 0;        ///< the balanced square it belongs to, counted from 0 over the whole block
  std::uint32_t position = 0;      ///< place inside its round
  std::uint8_t flags = 0;          ///< disturbance flags, 0 = none
  double median_step_seconds = 0;  ///< per unit of work, median over its samples; 0: unknown
  double first_quarter = 0;        ///< seconds per unit of work in the first quarter of its work; 0: unknown
  double last_quarter = 0;
  std::vector<double> calls = {};  ///< single calls in seconds, where a quantile of them is compared
  double quantile = 0;             ///< the quantile that is compared; 0: time per work is
};

/// The slices of two arms, each in the order of time.
struct ContrastSlices {
  std::vector<SliceValue> a, b;
};

}  // namespace regatta::stats
