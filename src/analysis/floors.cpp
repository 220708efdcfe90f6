#include "analysis/floors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/stats/summary.hpp"

namespace regatta::analysis {
namespace {

constexpr double floor_quantile = 0.95;

}  // namespace

Floors::Key Floors::key_of(const results::TrialRow& trial) {
  return {trial.device,
          std::string(sweep::split_engine(sweep::text_of(trial.parameters, sweep::Param::engine)).engine)};
}

Floors::Floors(const results::Results& results, const std::vector<BlockValues>& values,
               const stats::JudgeOptions& options) {
  std::map<Key, std::vector<double>> sizes;
  for (std::size_t index = 0; index < results.blocks.size(); ++index) {
    const auto& block = results.blocks[index];
    if (!block.has_clone || values[index].empty()) continue;
    const auto judgement = stats::judge({values[index].back(), values[index].front()}, options);
    if (!std::isfinite(judgement.estimate)) continue;
    sizes[key_of(results.trials[block.arms.front().value])].push_back(std::abs(judgement.estimate));
    if (judgement.verdict == stats::Verdict::same)
      ++identical_.same;
    else if (judgement.verdict == stats::Verdict::undecided)
      ++identical_.undecided;
    else
      ++identical_.wrong;
  }
  for (auto& [key, of_clones] : sizes) {
    log_floor_[key] = stats::quantile(std::move(of_clones), floor_quantile).value_or(0);
    identical_.floor = std::max(identical_.floor, std::expm1(log_floor_[key]));
  }
}

double Floors::floor_of(const results::TrialRow& a, const results::TrialRow& b) const {
  double floor = 0;
  for (const auto* trial : {&a, &b}) {
    const auto found = log_floor_.find(key_of(*trial));
    if (found != log_floor_.end()) floor = std::max(floor, found->second);
  }
  return std::expm1(floor);
}

double Floors::process_effect_of(const results::TrialRow& a, const results::TrialRow& b) const {
  double effect = 0;
  for (const auto* trial : {&a, &b}) {
    const auto found = log_floor_.find(key_of(*trial));
    effect = std::max(effect, found == log_floor_.end() ? assumed_process_effect : found->second);
  }
  return effect;
}

}  // namespace regatta::analysis
