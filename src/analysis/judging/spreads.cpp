#include "analysis/judging/spreads.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/judging/judging.hpp"
#include "regatta/sweep/processes.hpp"

namespace regatta::analysis {
namespace {

std::string class_of(const results::TrialRow& trial) { return sweep::process_class(trial.parameters); }

bool is_clone(const results::BlockRow& block, std::size_t arm) {
  return block.has_clone && arm + 1 == block.arms.size();
}

/// The arm that this one is compared with: a clone with the one that it repeats, all others with the first.
std::size_t opposite(const results::BlockRow& block, std::size_t arm) {
  if (!is_clone(block, arm)) return 0;
  return static_cast<std::size_t>(std::ranges::find(block.arms, block.arms.back()) - block.arms.begin());
}

}  // namespace

Spreads::Spreads(const results::Results& results, const std::vector<BlockValues>& values,
                 const stats::JudgeOptions& options)
    : results_(results) {
  for (std::uint32_t index = 0; index < results.blocks.size(); ++index) {
    const results::BlockRow& block = results.blocks[index];
    const BlockValues& of_arms = values[index];
    for (std::size_t arm = 1; block.has_baseline && arm < of_arms.size(); ++arm) {
      const std::size_t other = opposite(block, arm);
      if (of_arms[arm].empty() || of_arms[other].empty()) continue;
      const auto judgement = stats::judge({of_arms[arm], of_arms[other]}, options);
      const stats::SpreadHistory history = stats::history_of(judgement, is_clone(block, arm));
      const results::TrialRow& a = results.trials[block.arms[arm].value];
      const results::TrialRow& b = results.trials[block.arms[other].value];
      of_device_[a.device].add(class_of(a), class_of(b), history);
      own_[{index, arm}] = history;
    }
  }
  judge_clones(values, options);
}

void Spreads::judge_clones(const std::vector<BlockValues>& values, const stats::JudgeOptions& options) {
  for (std::uint32_t index = 0; index < results_.blocks.size(); ++index) {
    const results::BlockRow& block = results_.blocks[index];
    if (!block.has_clone || values[index].empty()) continue;
    const std::size_t arm = block.arms.size() - 1, original = opposite(block, arm);
    stats::JudgeOptions alike = options;
    alike.prior = prior_of({index}, arm, original);
    const stats::ContrastSlices slices{values[index][arm], values[index][original]};
    const auto judgement = stats::judge(slices, alike);
    if (!std::isfinite(judgement.estimate)) continue;
    clones_.push_back(clone_check(block.arms.back(), {index}, judgement));
    clones_.back().plain = plain_loops(slices.a, slices.b);
    identical_.add(judgement.verdict);
  }
}

stats::SpreadPrior Spreads::prior_of(BlockIndex block, std::size_t a, std::size_t b) const {
  const results::BlockRow& row = results_.blocks[block.value];
  const results::TrialRow& trial_a = results_.trials[row.arms[a].value];
  const results::TrialRow& trial_b = results_.trials[row.arms[b].value];
  stats::SpreadHistory history = history_of(trial_a, trial_b);
  const auto own = own_.find({block.value, std::max(a, b)});
  if (own != own_.end() && opposite(row, std::max(a, b)) == std::min(a, b)) history.take_out(own->second);
  return stats::prior_from(history);
}

stats::SpreadPrior Spreads::prior_of(const results::TrialRow& a, const results::TrialRow& b) const {
  return stats::prior_from(history_of(a, b));
}

/// Earlier runs count as the loop counted them.
stats::SpreadHistory Spreads::history_of(const results::TrialRow& a, const results::TrialRow& b) const {
  stats::SpreadHistory history = results_.provenance.spreads.of(class_of(a), class_of(b));
  const auto of_device = of_device_.find(a.device);
  if (of_device != of_device_.end()) history.add(of_device->second.of(class_of(a), class_of(b)));
  return history;
}

stats::SpreadPool Spreads::pool() const {
  stats::SpreadPool all;
  for (const auto& [device, pool] : of_device_) all.add(pool);
  return all;
}

}  // namespace regatta::analysis
