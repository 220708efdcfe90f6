// What a pilot says about the contrast to come (measuring.md R3): are slices long enough, and will there be a verdict?
#pragma once

#include <cstddef>
#include <span>

namespace regatta::stats {

/// Spread of values, like a standard deviation but of their middle half: interquartile range / 1.349. 0 below 2 values.
double robust_spread(std::span<const double> values);

/// Units after which half the interval of R3 is expected to be at most `half_width`, for units of this spread
/// (normal quantiles of the ranks); at most `most`, which stands for "not before that".
std::size_t expected_units(double spread, double half_width, double alpha, std::size_t most);

struct PilotAdvice {
  double factor = 1;      ///< make slices this many times as long
  double spread = 0;      ///< spread of block values, expected after that
  std::size_t units = 0;  ///< until a verdict, expected
};

/// From the pilot's block values (log ratios). Slices are lengthened until spread, falling with the root of length, is
/// below `delta`, but only as far as the `affordable` squares of the present length still make `rules::kept_units`
/// units; `carry_over` (R8) at least doubles them. The verdict that is counted on is one `delta` away from the
/// estimate.
PilotAdvice pilot_advice(std::span<const double> block_values, double delta, double alpha, double affordable,
                         bool carry_over);

}  // namespace regatta::stats
