// What one slice leaves behind for the next: does an arm begin its slices at another speed than it ends them (R8)?
#pragma once

#include <span>

#include "regatta/stats/range.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// Interval of the median over slices of log(first quarter / last quarter); slices without known quarters are left
/// out. Infinite below 7 slices.
Range quarters_interval(std::span<const SliceValue> arm, double alpha);

/// Whether that interval lies beyond `delta` on one side: longer slices, or more steps before scoring, are needed.
bool carries_over(std::span<const SliceValue> arm, double delta, double alpha);

}  // namespace regatta::stats
