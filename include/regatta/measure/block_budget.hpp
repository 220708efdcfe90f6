// What passes from block to block of one agent: wall time, and what was found.
#pragma once

#include "regatta/measure/discoveries.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/sweep/budget.hpp"

namespace regatta::measure {

/// What one agent has beside the share of the block that it measures.
struct BlockBudget {
  sweep::SlotTime wall = {};       ///< what earlier blocks left of it
  Discoveries discoveries = {};    ///< in the blocks that it has measured
  stats::SpreadPool spreads = {};  ///< how pairs of processes scattered so far
};

}  // namespace regatta::measure
