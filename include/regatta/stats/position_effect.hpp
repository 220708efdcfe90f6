// How much the place inside a round changes times (R9). Balanced orders cancel it from every contrast; where it is
// large the measurement itself disturbs what it measures.
#pragma once

#include <span>
#include <vector>

#include "regatta/stats/range.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// Log of the time at each position over the geometric mean of all positions: median over squares and its interval
/// (infinite below 7 squares). From the slices of two or more arms that take turns; arms count only in squares in which
/// they stood at every position equally often. Empty for a single position.
std::vector<Estimate> position_effects(std::span<const std::span<const SliceValue>> arms, double alpha);

/// Whether some position is off by more than `limit`, by its whole interval.
bool position_matters(std::span<const Estimate> effects, double limit);

/// Whether the first slice of a square takes another time than its arm's others there: off by more than `limit` (log),
/// always in one direction but for one square in five, in 4 squares at least. Balanced order does not cancel this from
/// a single square, as one arm is the first one.
bool first_slice_matters(std::span<const std::span<const SliceValue>> arms, double limit);

}  // namespace regatta::stats
