// Interleaved slices of a block's arms, until every comparison is decided or its time is spent (measuring.md, 2).
#pragma once

#include "block_run.hpp"

namespace regatta::launcher {

/// Measures the living arms. With a baseline: complete squares, processes renewed between them, an arm leaves when its
/// comparison is decided; else a planned number of rounds.
void measure(BlockRun& run);

/// `per_contrast` for each contrast of the block.
double wanted_seconds(const sweep::Sweep& sweep, const sweep::Block& block);

/// Active measuring time of a block: its share of `measure.total` by arms, and `per_contrast` for each contrast.
double block_budget_seconds(const sweep::Sweep& sweep, const sweep::Block& block, std::size_t sharing_arms);

}  // namespace regatta::launcher
