// The scored slices of every block, by arm: what verdicts are made of.
#pragma once

#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/stats/contrast_slices.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::analysis {

/// One list for each arm of a block, in order of time.
using BlockValues = std::vector<std::vector<stats::SliceValue>>;

/// The samples of each block, in order; linear.
std::vector<std::vector<stats::Sample>> samples_by_block(const results::Results& results);

/// One entry for each block; linear in the samples.
std::vector<BlockValues> block_values(const results::Results& results, const sweep::Measure& measure);

/// The value of each fresh process of a trial: memory, or the result that the sweep compares by. None where it has no
/// ratio.
std::vector<double> values_of_processes(const sweep::Facts& facts, const sweep::Measure& measure);

/// The numbers that each run of a trial told, ratio or not, where the sweep compares by them. None where one is not
/// finite.
std::vector<double> told_values(const sweep::Facts& facts, const sweep::Measure& measure);

/// The metric that compares the arms of this block where the sweep asks for `wanted`. Time per sample becomes time per
/// step where all batches are alike, or an arm reads none.
sweep::Metric metric_of(const results::Results& results, const results::BlockRow& block, sweep::Metric wanted);

}  // namespace regatta::analysis
