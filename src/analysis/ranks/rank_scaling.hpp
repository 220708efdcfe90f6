// What more ranks gain, group by group.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/explanations.hpp"
#include "regatta/analysis/rank_scaling.hpp"

namespace regatta::analysis {

/// Linear in trials and slices apart from the pairs of a group. Empty where no trial has several ranks, or the sweep
/// compares by something else than times of steps.
std::vector<RankScaling> rank_scalings(const Judge& judge, const Contrasts& contrasts,
                                       const std::vector<Explanation>& explanations);

}  // namespace regatta::analysis
