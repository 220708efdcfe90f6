// After how many steps a slower start has paid (measuring.md R13).
#pragma once

#include <optional>
#include <span>

#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {

/// Median of one value for each fresh process, with its interval; nothing below 7 values ("n = k, no interval").
std::optional<Estimate> cold_start(std::span<const double> seconds, double alpha = rules::alpha);

/// Arm a starts slower than b and then saves time in every step.
struct BreakEven {
  bool never = false;       ///< a saves nothing: its steps are not faster
  bool from_start = false;  ///< a does not even start slower
  Estimate steps;           ///< where both have taken the same time; high is infinite if a may save nothing
};

/// N* = (cold a - cold b) / (step b - step a). The interval holds N* whenever those of its four parts hold them.
BreakEven break_even(const Estimate& cold_a, const Estimate& cold_b, const Estimate& step_a, const Estimate& step_b);

}  // namespace regatta::stats
