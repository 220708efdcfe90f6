// Wall time that passes from block to block.
#pragma once

namespace regatta::measure {

/// What one agent has beside the share of the block that it measures.
struct BlockBudget {
  double unused_seconds = 0;  ///< what earlier blocks left of their shares, or took beyond them
};

}  // namespace regatta::measure
