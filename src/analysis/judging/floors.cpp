#include "analysis/judging/floors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/judging/clone_check.hpp"

namespace regatta::analysis {
namespace {

std::string engine_of(const results::TrialRow& trial) { return std::string(sweep::engine_of(trial.parameters)); }

/// A block with a clone, and the slices of both.
struct Cloned {
  BlockIndex block;
  const results::TrialRow* trial = nullptr;
  stats::ContrastSlices slices;
};

std::vector<Cloned> cloned_blocks(const results::Results& results, const std::vector<BlockValues>& values) {
  std::vector<Cloned> found;
  for (std::uint32_t index = 0; index < results.blocks.size(); ++index) {
    const auto& block = results.blocks[index];
    if (!block.has_clone || values[index].empty()) continue;
    const auto original = std::ranges::find(block.arms, block.arms.back()) - block.arms.begin();
    const auto& of_original = values[index][static_cast<std::size_t>(original)];
    found.push_back({{index}, &results.trials[block.arms.back().value], {values[index].back(), of_original}});
  }
  return found;
}

}  // namespace

Floors::Floors(const results::Results& results, const std::vector<BlockValues>& values,
               const stats::JudgeOptions& options) {
  const std::vector<Cloned> cloned = cloned_blocks(results, values);
  for (const Cloned& each : cloned) of_device_[each.trial->device].add(engine_of(*each.trial), each.slices, options);
  for (const Cloned& each : cloned) {
    stats::JudgeOptions alike = options;
    alike.process_effect = process_effect_of(*each.trial, *each.trial);
    const auto judgement = stats::judge(each.slices, alike);
    if (!std::isfinite(judgement.estimate)) continue;
    clones_.push_back(clone_check(results.blocks[each.block.value].arms.back(), each.block, judgement));
    clones_.back().plain = plain_loops(each.slices.a, each.slices.b);
    identical_.add(judgement.verdict);
    identical_.floor = std::max(identical_.floor, floor_of(*each.trial, *each.trial));
  }
}

stats::JudgeOptions Floors::of_both(const results::TrialRow& a, const results::TrialRow& b) const {
  stats::JudgeOptions larger;
  larger.floor = larger.process_effect = 0;
  for (const auto* trial : {&a, &b}) {
    const auto found = of_device_.find(trial->device);
    const std::string engine = engine_of(*trial);
    const auto known = (found == of_device_.end() ? stats::ClonePool() : found->second).options_for({}, engine, engine);
    larger.floor = std::max(larger.floor, known.floor);
    larger.process_effect = std::max(larger.process_effect, known.process_effect);
  }
  return larger;
}

double Floors::floor_of(const results::TrialRow& a, const results::TrialRow& b) const { return of_both(a, b).floor; }

double Floors::process_effect_of(const results::TrialRow& a, const results::TrialRow& b) const {
  return of_both(a, b).process_effect;
}

}  // namespace regatta::analysis
