#include "regatta/sweep/final_block.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/rules.hpp"
#include "sweep/plan/plan.hpp"

namespace regatta::sweep {
namespace {

/// Cells of the plan beside this baseline.
struct Setting {
  std::size_t cells = 1;  ///< the baseline is one
  std::map<TrialIndex, Family> families;
};

Setting setting_of(const Plan& plan, TrialIndex baseline) {
  Setting setting;
  for (const Block& block : plan.blocks) {
    const bool is_of_plan = !block.is_final && !block.is_intervention();
    if (!is_of_plan || !block.has_baseline || block.arms.front() != baseline) continue;
    for (std::size_t at = 1; at < block.distinct_arms(); ++at)
      setting.families.emplace(block.arms[at], block.families.at(at - 1));
  }
  setting.cells += setting.families.size();
  return setting;
}

bool are_alone(const std::vector<TrialIndex>& arms) {
  return std::set<TrialIndex>(arms.begin(), arms.end()).size() == arms.size();
}

}  // namespace

std::optional<Block> final_block(const Plan& plan, const std::vector<TrialIndex>& arms) {
  if (arms.size() < 2 || !are_alone(arms)) return std::nullopt;
  const Setting setting = setting_of(plan, arms.front());
  Block block;
  block.is_final = true;
  block.arms = arms;
  block.has_baseline = true;
  std::string identity = "final ";
  for (const TrialIndex arm : arms) {
    const Trial& trial = plan.trials.at(arm.value);
    identity += to_string(trial.hash);
    if (arm == arms.front()) continue;
    const auto family = setting.families.find(arm);
    if (family == setting.families.end()) return std::nullopt;
    block.families.push_back(family->second);
  }
  block.demand = demand_of(plan, arms);
  block.hash = hash128(identity);
  block.exclusions = static_cast<std::uint32_t>(stats::exclusions(arms.size(), arms.size() < setting.cells));
  return block;
}

std::vector<Block> finals_to_come(const Plan& plan) {
  struct Coming {
    std::size_t cells = 1;
    Block block;
  };
  std::map<TrialIndex, Coming> by_baseline;
  for (const Block& block : plan.blocks) {
    if (block.is_final || block.is_intervention() || !block.has_baseline) continue;
    Coming& coming = by_baseline[block.arms.front()];
    coming.cells += block.distinct_arms() - 1;
    coming.block.has_baseline = true;
    for (std::size_t at = coming.block.arms.empty() ? 0 : 1; at < block.distinct_arms(); ++at)
      if (coming.block.arms.size() <= stats::rules::best_cells) coming.block.arms.push_back(block.arms[at]);
  }
  std::vector<Block> finals;
  for (auto& [baseline, coming] : by_baseline)
    if (coming.cells > stats::rules::best_cells) finals.push_back(std::move(coming.block));
  return finals;
}

Plan with_finals(Plan plan, const std::vector<Block>& finals) {
  std::erase_if(plan.blocks, &Block::is_final);
  const auto behind_trials = std::ranges::find_if(plan.blocks, &Block::is_intervention);
  plan.blocks.insert(behind_trials, finals.begin(), finals.end());
  for (std::size_t at = 0; at < plan.blocks.size(); ++at) plan.blocks[at].index = {static_cast<std::uint32_t>(at)};
  return plan;
}

}  // namespace regatta::sweep
