// The scored slices of every block, by arm: what verdicts are made of.
#pragma once

#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/stats/contrast_slices.hpp"

namespace regatta::analysis {

/// One list for each arm of a block, in order of time.
using BlockValues = std::vector<std::vector<stats::SliceValue>>;

/// One entry for each block; linear in the samples.
std::vector<BlockValues> block_values(const results::Results& results);

/// Whether time is taken per sample: every arm of the block reads a batch, and they are not all equal.
bool is_per_sample(const results::Results& results, const results::BlockRow& block);

}  // namespace regatta::analysis
