// What passes from block to block: wall time, and what was found.
#pragma once

#include "regatta/measure/discoveries.hpp"

namespace regatta::measure {

/// What one agent has beside the share of the block that it measures.
struct BlockBudget {
  double unused_seconds = 0;  ///< what earlier blocks left of their shares, or took beyond them
  Discoveries discoveries;    ///< in the blocks that it has measured
};

}  // namespace regatta::measure
