// Where the efficiency goes that ranks do not reach.
#pragma once

#include "regatta/analysis/rank_scaling.hpp"

namespace regatta::analysis {

/// Fills `shards_cost` and `held_back_by` of a group whose ranks are judged.
///
/// ranks x time / time of the base = shards x exchange x the rest: what cutting the batch costs one rank, a step over
/// the same step without its exchange, and how much ranks slow one another in caches, memory and by waiting. Logarithms
/// make that a sum. A part holds most of it back where its whole interval is more than half of all that the total can
/// be; the rest, which nobody measures, where the others together are less than half of the least.
void hold_back(RankScaling& group);

}  // namespace regatta::analysis
