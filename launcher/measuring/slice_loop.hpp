// Interleaved slices of a block's arms, until every comparison is decided or its time is spent (measuring.md, 2).
#pragma once

#include "measuring/block_run.hpp"

namespace regatta::launcher {

/// Measures the living arms. With a baseline: complete squares, processes renewed between them, an arm leaves when its
/// comparison is decided; else a planned number of rounds.
void measure(BlockRun& run);

}  // namespace regatta::launcher
