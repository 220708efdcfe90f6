// Comparisons without one baseline for all: every pair of arms, or those that differ in one parameter only.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "sweep/plan/comparison_groups.hpp"

namespace regatta::sweep {

struct Pair {
  TrialIndex baseline;  ///< what the sweep calls its baseline, if it is one of the two; else the earlier trial
  TrialIndex other;
  auto operator<=>(const Pair&) const = default;
};

/// The pairs of each group's runnable trials, each once, ordered by their baselines. Throws InputError beyond
/// max_points of them, counted before any is made.
std::vector<Pair> pair_up(const Sweep& sweep, const std::vector<Trial>& trials, const std::vector<Group>& groups);

/// What is said of a trial that is in no pair.
std::string why_unpaired(Pairs pairs);

}  // namespace regatta::sweep
