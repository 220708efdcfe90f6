// What the squares so far say about the arms of a block against its baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// The arms of `turn` that go on: the baseline, every arm whose comparison is still open, and what it is compared with.
/// Differences that are settled now are discoveries of the run.
std::vector<std::size_t> still_open(BlockRun& run, const std::vector<std::size_t>& turn);

/// Comparisons with the baseline that have no verdict yet; the clone is none.
std::int64_t undecided_comparisons(const BlockRun& run);

/// How pairs of the block have scattered so far: what other blocks are judged by.
stats::SpreadPool shown_spreads(const BlockRun& run);

}  // namespace regatta::measure
