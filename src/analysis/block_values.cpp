#include "analysis/block_values.hpp"

#include <algorithm>

#include "regatta/stats/slice_values.hpp"

namespace regatta::analysis {
namespace {

std::optional<std::int64_t> batch_of(const results::Results& results, TrialIndex trial) {
  return sweep::batch_of(results.trials[trial.value].parameters);
}

std::vector<stats::ArmReading> readings_of(const results::Results& results, const results::BlockRow& block) {
  const bool per_sample = is_per_sample(results, block);
  std::vector<stats::ArmReading> readings;
  for (const TrialIndex arm : block.arms) {
    const auto& engine = results.trials[arm.value].parameters[sweep::Param::engine];
    readings.push_back({per_sample ? static_cast<double>(*batch_of(results, arm)) : 1,
                        engine == sweep::Value(std::string("command"))});
  }
  return readings;
}

}  // namespace

bool is_per_sample(const results::Results& results, const results::BlockRow& block) {
  const auto first = batch_of(results, block.arms.front());
  const bool all = std::ranges::all_of(block.arms, [&](TrialIndex arm) { return batch_of(results, arm).has_value(); });
  return all && std::ranges::any_of(block.arms, [&](TrialIndex arm) { return batch_of(results, arm) != first; });
}

std::vector<BlockValues> block_values(const results::Results& results) {
  std::vector<std::vector<stats::Sample>> samples(results.blocks.size());
  for (const auto& row : results.samples) {
    if (results.blocks[row.block.value].has_baseline) samples[row.block.value].push_back(row.sample);
  }
  std::vector<BlockValues> values(results.blocks.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!samples[i].empty()) values[i] = stats::slice_values(samples[i], readings_of(results, results.blocks[i]));
  }
  return values;
}

}  // namespace regatta::analysis
