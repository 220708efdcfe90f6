// Comparisons without one baseline for all: every pair of arms, or those that differ in one parameter only.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sweep/plan/comparison_groups.hpp"

namespace regatta::sweep {

struct Pair {
  std::uint32_t baseline;  ///< what the sweep calls its baseline, if it is one of the two; else the earlier trial
  std::uint32_t other;
  auto operator<=>(const Pair&) const = default;
};

/// The pairs of each group's runnable trials, each once, ordered by their baselines. Throws InputError beyond
/// max_points of them, counted before any is made.
std::vector<Pair> pair_up(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion,
                          const Groups& groups);

/// What is said of a trial that is in no pair.
std::string why_unpaired(Pairs pairs);

}  // namespace regatta::sweep
