// The gain from more ranks of a trial, the number of ranks up to which they pay, and the limit.
#pragma once

#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/explanations.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/rank_scaling.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

// last_processes.cpp: How long steps took in the last process of a trial: what its worker told last is to be set
// beside that.

/// By trial, the mean step over the scored slices of its last process in seconds; 0 without any. Linear in the samples.
std::vector<double> last_process_steps(const results::Results& results);

// rank_groups.cpp: Trials that differ in ranks and shards alone, or in the batch too where each rank keeps its
// samples.

/// Groups in which a trial has several ranks, with names and cells; bases are not chosen yet.
/// Groups of one batch first, in the order of the plan. Linear in the trials and samples.
std::vector<RankScaling> rank_groups(const results::Results& results, const Axes& axes,
                                     const std::vector<Explanation>& explanations);

// rank_losses.cpp: Where the efficiency goes that ranks do not reach.

/// Fills `shards_cost` and `held_back_by` of a group whose ranks are judged.
///
/// ranks x time / time of the base = shards x exchange x the rest: what cutting the batch costs one rank, a step over
/// the same step without its exchange, and how much ranks slow one another in caches, memory and by waiting. Logarithms
/// make that a sum. A part holds most of it back where its whole interval is more than half of all that the total can
/// be; the rest, which nobody measures, where the others together are less than half of the least.
void hold_back(RankScaling& group);

// rank_scaling.cpp: The gain from more ranks, group by group.

/// Linear in trials and slices apart from the pairs of a group. Empty where no trial has several ranks, or the sweep
/// compares by something else than times of steps.
std::vector<RankScaling> rank_scalings(const Judge& judge, const Contrasts& contrasts,
                                       const std::vector<Explanation>& explanations);

}  // namespace regatta::analysis
