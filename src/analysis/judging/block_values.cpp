#include "analysis/judging/block_values.hpp"

#include <algorithm>

#include "regatta/stats/slice_values.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/facts.hpp"
#include "regatta/sweep/program_results.hpp"
#include "regatta/sweep/work_per_step.hpp"

namespace regatta::analysis {
namespace {

std::vector<std::optional<std::int64_t>> batches_of(const results::Results& results, const results::BlockRow& block) {
  std::vector<std::optional<std::int64_t>> batches;
  for (const TrialIndex arm : block.arms) batches.push_back(sweep::batch_of(results.trials[arm.value].parameters));
  return batches;
}

std::vector<stats::ArmReading> readings_of(const results::Results& results, const results::BlockRow& block,
                                           const sweep::Measure& measure) {
  const std::vector<double> work = sweep::work_per_step(measure.metric, batches_of(results, block));
  std::vector<stats::ArmReading> readings;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const sweep::Parameters& parameters = results.trials[block.arms[i].value].parameters;
    readings.push_back(sweep::reading_of(measure, parameters, work[i], sweep::is_program(parameters)));
  }
  return readings;
}

/// The values of its trials' processes; those of a clone are not kept.
BlockValues process_values(const results::Results& results, const results::BlockRow& block,
                           const sweep::Measure& measure) {
  BlockValues values;
  for (const TrialIndex arm : block.arms)
    values.push_back(stats::process_values(values_of_processes(results.trials[arm.value].facts, measure)));
  if (block.has_clone) values.back().clear();
  return values;
}

const sweep::ProgramResults& results_in(const sweep::Facts& facts) {
  return sweep::value_of<sweep::ProgramResults>(facts, sweep::Fact::results);
}

}  // namespace

std::vector<double> values_of_processes(const sweep::Facts& facts, const sweep::Measure& measure) {
  if (measure.result) return sweep::comparable_values(results_in(facts), measure.result->name);
  const auto& peaks = sweep::value_of<sweep::ProcessPeaks>(facts, sweep::Fact::process_peaks);
  return {peaks.begin(), peaks.end()};
}

std::vector<double> told_values(const sweep::Facts& facts, const sweep::Measure& measure) {
  return measure.result ? sweep::finite_values(results_in(facts), measure.result->name) : std::vector<double>();
}

sweep::Metric metric_of(const results::Results& results, const results::BlockRow& block, sweep::Metric wanted) {
  if (wanted != sweep::Metric::time_per_sample || sweep::is_per_sample(wanted, batches_of(results, block)))
    return wanted;
  return sweep::Metric::time_per_step;
}

std::vector<std::vector<stats::Sample>> samples_by_block(const results::Results& results) {
  std::vector<std::vector<stats::Sample>> samples(results.blocks.size());
  for (const auto& row : results.samples) samples[row.block.value].push_back(row.sample);
  return samples;
}

std::vector<BlockValues> block_values(const results::Results& results, const sweep::Measure& measure) {
  const auto samples = samples_by_block(results);
  std::vector<BlockValues> values(results.blocks.size());
  const bool is_of_values = sweep::is_value_of_processes(measure.metric);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!results.blocks[i].has_baseline || samples[i].empty()) continue;
    if (is_of_values)
      values[i] = process_values(results, results.blocks[i], measure);
    else
      values[i] = stats::slice_values(samples[i], readings_of(results, results.blocks[i], measure));
  }
  return values;
}

}  // namespace regatta::analysis
