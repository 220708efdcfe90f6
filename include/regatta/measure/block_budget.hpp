// What passes from block to block of one agent: wall time, and what was found.
#pragma once

#include "regatta/measure/discoveries.hpp"
#include "regatta/stats/clones.hpp"

namespace regatta::measure {

/// What one agent has beside the share of the block that it measures.
struct BlockBudget {
  double unused_seconds = 0;     ///< wall time that earlier blocks left of their shares, or took beyond them
  Discoveries discoveries = {};  ///< in the blocks that it has measured
  stats::ClonePool clones = {};  ///< what clones of this pass showed so far
};

}  // namespace regatta::measure
