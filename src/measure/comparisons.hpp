// What the squares so far say about the arms of a block against its baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regatta/measure/block_run.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::measure {

/// How this block is judged while it is measured.
stats::JudgeOptions judge_options(const BlockRun& run);

/// The same for two of its arms.
stats::JudgeOptions judge_options(const BlockRun& run, std::size_t a, std::size_t b);

/// The arms of `turn` that go on: the baseline, and every arm whose comparison with it is still open. Differences that
/// are settled now are discoveries of the run.
std::vector<std::size_t> still_open(BlockRun& run, const std::vector<std::size_t>& turn);

/// Comparisons with the baseline that have no verdict yet; the clone is none.
std::int64_t undecided_comparisons(const BlockRun& run);

}  // namespace regatta::measure
