// What a pilot says about the contrast to come (measuring.md R3): are slices long enough?
#pragma once

#include <span>

namespace regatta::stats {

/// Spread of values, like a standard deviation but of their middle half: interquartile range / 1.349. 0 below 2 values.
double robust_spread(std::span<const double> values);

/// From the pilot's log ratios of squares: how many times as long slices shall be. They are lengthened until the
/// spread, falling with the root of length, is below `delta`, but only as far as the `affordable` squares of the
/// present length still make `rules::kept_squares`; `carry_over` (R8) at least doubles them.
double slice_factor(std::span<const double> log_ratios, double delta, double affordable, bool carry_over);

}  // namespace regatta::stats
