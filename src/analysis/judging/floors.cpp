#include "analysis/judging/floors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/judging/clone_check.hpp"
#include "analysis/judging/process_pairs.hpp"
#include "regatta/stats/clones.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::analysis {
Floors::Key Floors::key_of(const results::TrialRow& trial) {
  return {trial.device,
          std::string(sweep::split_engine(sweep::text_of(trial.parameters, sweep::Param::engine)).engine)};
}

Floors::Floors(const results::Results& results, const std::vector<BlockValues>& values,
               const stats::JudgeOptions& options) {
  std::map<Key, std::vector<double>> estimates;
  std::map<Key, std::vector<double>> pairs;
  for (std::size_t index = 0; index < results.blocks.size(); ++index) {
    const auto& block = results.blocks[index];
    if (!block.has_clone || values[index].empty()) continue;
    const auto& clone = values[index].back();
    const auto& original = values[index].front();
    const auto judgement = stats::judge({clone, original}, options);
    if (!std::isfinite(judgement.estimate)) continue;
    const Key key = key_of(results.trials[block.arms.front().value]);
    estimates[key].push_back(judgement.estimate);
    for (const ProcessPair& pair : process_pairs(clone, original)) pairs[key].push_back(pair.log_ratio);
    clones_.push_back(clone_check(block.arms.front(), BlockIndex{static_cast<std::uint32_t>(index)}, judgement));
    clones_.back().plain = plain_loops(clone, original);
    identical_.add(judgement.verdict);
  }
  for (const auto& [key, of_clones] : estimates) {
    floor_[key] = stats::noise_floor(of_clones);
    process_effect_[key] = stats::process_effect(pairs[key]);
    identical_.floor = std::max(identical_.floor, floor_[key]);
  }
}

double Floors::floor_of(const results::TrialRow& a, const results::TrialRow& b) const {
  double floor = 0;
  for (const auto* trial : {&a, &b}) {
    const auto found = floor_.find(key_of(*trial));
    if (found != floor_.end()) floor = std::max(floor, found->second);
  }
  return floor;
}

double Floors::process_effect_of(const results::TrialRow& a, const results::TrialRow& b) const {
  double effect = 0;
  for (const auto* trial : {&a, &b}) {
    const auto found = process_effect_.find(key_of(*trial));
    effect = std::max(effect, found == process_effect_.end() ? stats::rules::assumed_process_effect : found->second);
  }
  return effect;
}

}  // namespace regatta::analysis
