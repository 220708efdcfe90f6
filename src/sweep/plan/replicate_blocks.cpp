#include <algorithm>
#include <map>
#include <string>

#include "sweep/plan/plan.hpp"

namespace regatta::sweep {
namespace {

/// The same for replicates of one trial.
std::string key_of(const Sweep& sweep, Parameters parameters) {
  for (const Param& param : sweep.compare->replicates) parameters.set(param, {});
  return to_json(parameters);
}

/// One for each comparison of the block with its baseline.
std::vector<std::string> keys_of(const Sweep& sweep, const Plan& plan, const Block& block) {
  std::vector<std::string> keys;
  if (!block.has_baseline || block.has_clone || block.is_intervention()) return keys;
  const auto key = [&](TrialIndex trial) { return key_of(sweep, plan.trials[trial.value].parameters); };
  const std::string baseline = key(block.arms.front());
  for (std::size_t at = 1; at < block.arms.size(); ++at) keys.push_back(key(block.arms[at]) + '\n' + baseline);
  return keys;
}

}  // namespace

void find_replicates(const Sweep& sweep, Plan& plan) {
  const bool asks_for_results = sweep.compare && sweep.measure.metric == Metric::result;
  if (!asks_for_results || sweep.compare->replicates.empty()) return;
  std::map<std::string, std::size_t> blocks;  // number of blocks with this comparison
  for (const Block& block : plan.blocks)
    for (const std::string& key : keys_of(sweep, plan, block)) ++blocks[key];
  for (Block& block : plan.blocks) {
    const std::vector<std::string> keys = keys_of(sweep, plan, block);
    const auto is_replicate = [&](const std::string& key) { return blocks.at(key) > 1; };
    block.takes_one_pair = !keys.empty() && std::ranges::all_of(keys, is_replicate);
  }
}

}  // namespace regatta::sweep
