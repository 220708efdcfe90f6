// After how many steps a slower start has paid (measuring.md R13).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "regatta/stats/cold_starts.hpp"
#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {

/// What a pair of fresh processes took, in seconds.
struct PairCosts {
  double cold_a = 0;
  double cold_b = 0;
  double step_a = 0;  ///< one step, over all complete squares that the pair served
  double step_b = 0;
};

/// The pairs of a contrast in which both processes were fresh; its work is counted in steps.
std::vector<PairCosts> pair_costs(const ContrastSlices& contrast, std::span<const ColdStart> of_a,
                                  std::span<const ColdStart> of_b);

/// N* = (cold a - cold b) / (step b - step a), a starting slower: the number of steps after which a fresh process of a
/// is as likely ahead of one of b as behind it. Infinite: never. The range has ends from 7 pairs on: it holds each N at
/// which the signs of (cold a - cold b) - N (step b - step a) over pairs do not tell who is ahead
/// (sign_rank), so that both starts and both steps enter as they varied, whatever their distribution. NaN without
/// pairs.
Estimate break_even(std::span<const PairCosts> pairs, double alpha = rules::alpha);

}  // namespace regatta::stats
