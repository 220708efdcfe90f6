// The effects of taking turns on times: the place inside a round (measuring.md R9), traces of the slice before, and the
// cold start of a resumed arm (R8).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/range.hpp"

namespace regatta::stats {

/// Log of the time at each position over the geometric mean of those at which the same arm stands in the square, which
/// are this one and its mirror image: median over squares and its interval (infinite below 7 squares). From the slices
/// of two or more arms that take turns. Empty for a single position.
std::vector<Estimate> position_effects(std::span<const std::span<const SliceValue>> arms, double alpha);

/// Whether some position is off by more than `limit`, by its whole interval.
bool position_matters(std::span<const Estimate> effects, double limit);

/// Whether the first slice of a square takes another time than its arm's others there: off by more than `limit` (log),
/// always in one direction but for one square in five, in 4 squares at least. Balanced order does not cancel this from
/// a single square, as one arm is the first one.
bool first_slice_matters(std::span<const std::span<const SliceValue>> arms, double limit);

/// Interval of the median over slices of log(first quarter / last quarter); slices without known quarters are left
/// out. Infinite below 7 slices.
Range quarters_interval(std::span<const SliceValue> arm, double alpha);

/// Whether that interval lies beyond `delta` on one side: longer slices, or more steps before scoring, are needed.
bool carries_over(std::span<const SliceValue> arm, double delta, double alpha);

/// Samples at the start of slices that are not yet like those of the slices' second half. `slices` holds seconds per
/// step of each sample, each slice taken right after a resume; positions that not all slices have are not looked at. A
/// position is unlike if the median over slices of log(sample / median of the slice's second half) is beyond `delta`
/// and beyond what these medians scatter by chance. 0 below two samples; about half of them if slices never settle.
std::size_t unsettled_samples(std::span<const std::vector<double>> slices, double delta);

}  // namespace regatta::stats
