// The state that one agent carries from block to block: wall time and discoveries.
#pragma once

#include "regatta/measure/discoveries.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/sweep/budget.hpp"

namespace regatta::measure {

/// An agent's own state, beside the share of the block that it measures.
struct BlockBudget {
  sweep::SlotTime wall = {};       ///< the wall time that earlier blocks left
  Discoveries discoveries = {};    ///< in the blocks that it has measured
  stats::SpreadPool spreads = {};  ///< how pairs of processes scattered so far
};

}  // namespace regatta::measure
