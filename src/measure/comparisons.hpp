// What the squares so far say about the arms of a block against its baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regatta/measure/block_run.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::measure {

/// How this block is planned: with the largest process effect of its engines that is known before it.
stats::JudgeOptions planning_options(const BlockRun& run);

/// The arms of `turn` that go on: the baseline, every arm whose comparison is still open, and what it is compared with.
/// Differences that are settled now are discoveries of the run.
std::vector<std::size_t> still_open(BlockRun& run, const std::vector<std::size_t>& turn);

/// Comparisons with the baseline that have no verdict yet; the clone is none.
std::int64_t undecided_comparisons(const BlockRun& run);

/// Once the block is measured: later ones are judged by what its clone showed, too.
void learn_from_clone(BlockRun& run);

}  // namespace regatta::measure
