// Interleaved slices of a block's arms, until every comparison is decided or its time is spent (measuring.md, 2).
#pragma once

#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// Measures the living arms. With a baseline: complete squares, processes renewed between them, an arm leaves when its
/// comparison is decided; else a planned number of rounds. A drain ends it after a complete square, the block's wall
/// time after one that just fits.
void measure(BlockRun& run);

}  // namespace regatta::measure
