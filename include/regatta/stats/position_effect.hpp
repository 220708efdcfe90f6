// How much the place inside a round changes times (R9). Balanced orders cancel it from every contrast; where it is
// large the measurement itself disturbs what it measures.
#pragma once

#include <span>
#include <vector>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// Log of time at one position over the geometric mean of all positions.
struct PositionEffect {
  double estimate = 0;  ///< median over squares
  Range range;          ///< infinite below 7 squares
};

/// One for each position, from the slices of two or more arms that take turns; arms count only in squares in which
/// they stood at every position equally often. Empty for a single position.
std::vector<PositionEffect> position_effects(std::span<const std::span<const SliceValue>> arms, double alpha);

/// Whether some position is off by more than `limit`, by its whole interval.
bool position_matters(std::span<const PositionEffect> effects, double limit);

}  // namespace regatta::stats
