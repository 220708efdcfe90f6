// Trials that differ in ranks and shards alone, or in the batch too where each rank keeps its samples.
#pragma once

#include <vector>

#include "regatta/analysis/explanations.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/rank_scaling.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Groups in which a trial has several ranks, with names and cells; bases are not chosen yet.
/// Groups of one batch first, in the order of the plan. Linear in the trials and samples.
std::vector<RankScaling> rank_groups(const results::Results& results, const Axes& axes,
                                     const std::vector<Explanation>& explanations);

}  // namespace regatta::analysis
