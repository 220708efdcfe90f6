#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "regatta/stats/many_contrasts.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/sweep/outcome.hpp"
#include "sweep/plan/plan.hpp"

namespace regatta::sweep {
namespace {

using Arms = std::span<const TrialIndex>;

constexpr const char* nothing_beside_baseline =
    "nothing to compare with the baseline here: every other arm is skipped, excluded or merged with it";

class BlockMaker {
 public:
  BlockMaker(const Sweep& sweep, Plan& plan) : sweep_(sweep), plan_(plan), placed_(plan.trials.size(), false) {}

  void each_alone() {
    for (const Trial& trial : plan_.trials) {
      if (!trial.skip_reason) add_block({}, {&trial.index, 1});
    }
  }

  void beside_baselines(std::vector<Group> groups) {
    groups = joined(std::move(groups));
    // Comparisons first: an arm that has a contrast elsewhere needs no block without one.
    std::vector<const Group*> met(plan_.trials.size(), nullptr);
    for (const bool with_baseline : {true, false}) {
      for (Group& group : groups) {
        if (has_runnable_baseline(group) == with_baseline) leave_others(group, met);
      }
    }
    for (const Group& group : groups) add_comparison(group);
    // In blocks of their own, after all others: what was asked for in any case is measured as it is without them, and
    // stands when somebody stops waiting for theirs.
    for (const Group& group : groups) {
      if (has_runnable_baseline(group))
        add_split({&*group.baseline, 1}, Arms(first_optional(group), group.members.end()));
    }
  }

  void in_pairs(const std::vector<Pair>& pairs) {
    for (auto first = pairs.begin(); first != pairs.end();) {
      const TrialIndex baseline = first->baseline;
      std::vector<TrialIndex> others;
      for (; first != pairs.end() && first->baseline == baseline; ++first) others.push_back(first->other);
      add_split({&baseline, 1}, others);
    }
    std::vector<TrialIndex> alone;
    for (const Trial& trial : plan_.trials) {
      if (!trial.skip_reason && !placed_[trial.index.value]) alone.push_back(trial.index);
    }
    for (const TrialIndex& trial : alone) add_block({}, {&trial, 1});
    note(alone, why_unpaired(sweep_.compare->pairs));
  }

 private:
  [[nodiscard]] const Trial& at(TrialIndex index) const { return plan_.trials[index.value]; }
  [[nodiscard]] bool has_runnable_baseline(const Group& group) const {
    return group.baseline && !at(*group.baseline).skip_reason;
  }
  [[nodiscard]] bool is_optional(TrialIndex trial) const {
    const auto& optional = sweep_.optional_engines;
    return std::ranges::find(optional, at(trial).parameters[Param::engine]) != optional.end();
  }
  [[nodiscard]] std::vector<TrialIndex>::const_iterator first_optional(const Group& group) const {
    return std::ranges::find_if(group.members, [&](TrialIndex trial) { return is_optional(trial); });
  }

  void add_block(Arms baseline, Arms others) {
    Block& block = plan_.blocks.emplace_back();
    block.index = BlockIndex{static_cast<std::uint32_t>(plan_.blocks.size() - 1)};
    block.has_baseline = !baseline.empty();
    block.arms.reserve(baseline.size() + others.size());
    block.arms.assign(baseline.begin(), baseline.end());
    block.arms.insert(block.arms.end(), others.begin(), others.end());
    std::string identity;
    for (const TrialIndex arm : block.arms) {
      identity += to_string(at(arm).hash);
      add_demand(block.demand, at(arm).parameters);
      placed_[arm.value] = true;
    }
    block.hash = hash128(identity);
  }

  /// At most max_distinct_arms to a block. Full blocks first: a level added at the end leaves the earlier blocks as
  /// they were.
  void add_split(Arms baseline, Arms others) {
    const std::size_t room = max_distinct_arms - baseline.size();
    for (std::size_t first = 0; first < others.size(); first += room)
      add_block(baseline, others.subspan(first, std::min(room, others.size() - first)));
  }

  /// Groups that share a runnable baseline, because it does not read what tells them apart, are one.
  [[nodiscard]] std::vector<Group> joined(std::vector<Group> groups) const {
    std::vector<Group> all;
    std::vector<std::size_t> of_baseline(plan_.trials.size(), groups.size());
    for (Group& group : groups) {
      if (!has_runnable_baseline(group)) {
        all.push_back(std::move(group));
        continue;
      }
      std::size_t& known = of_baseline[group.baseline->value];
      if (known < all.size()) {
        all[known].members.insert(all[known].members.end(), group.members.begin(), group.members.end());
        continue;
      }
      known = all.size();
      all.push_back(std::move(group));
    }
    return all;
  }

  /// Leaves the runnable members of a group but its baseline, each once, optional engines last; without a baseline,
  /// those that stand in no other block.
  void leave_others(Group& group, std::vector<const Group*>& met) {
    const bool compares = has_runnable_baseline(group);
    if (compares) met[group.baseline->value] = &group;
    std::erase_if(group.members, [&](TrialIndex trial) {
      const bool is_known = compares ? met[trial.value] == &group : met[trial.value] != nullptr;
      if (!at(trial).skip_reason) met[trial.value] = &group;
      return is_known || at(trial).skip_reason;
    });
    if (!compares) return;
    std::stable_partition(group.members.begin(), group.members.end(),
                          [&](TrialIndex trial) { return !is_optional(trial); });
  }

  void add_comparison(const Group& group) {
    if (!has_runnable_baseline(group)) {
      add_split({}, group.members);
      note(group.members,
           "no baseline here: " + (group.baseline ? *at(*group.baseline).skip_reason : "it is excluded"));
    } else if (group.members.empty()) {
      add_block({}, {&*group.baseline, 1});
      note({&*group.baseline, 1}, nothing_beside_baseline);
    } else {
      add_split({&*group.baseline, 1}, Arms(group.members.begin(), first_optional(group)));
    }
  }

  /// One line for a reason, however many comparisons share it.
  void note(Arms trials, const std::string& reason) {
    if (trials.empty()) return;
    const auto [line, is_new] = line_of_reason_.try_emplace(reason, plan_.no_contrasts.size());
    if (is_new) plan_.no_contrasts.push_back({{}, reason});
    auto& listed = plan_.no_contrasts[line->second].trials;
    listed.insert(listed.end(), trials.begin(), trials.end());
  }

  const Sweep& sweep_;
  Plan& plan_;
  std::vector<bool> placed_;  ///< the trial stands in a block
  std::map<std::string, std::size_t> line_of_reason_;
};

/// A cell of each engine that is compared stands beside itself once: its first one in the plan. These blocks come after
/// all others, since nothing else that is asked for waits for what they tell.
void add_clones(Plan& plan) {
  std::set<std::tuple<Value, Value, Value>> cloned;
  std::vector<Block> clones;
  for (const Block& block : plan.blocks) {
    if (!block.has_baseline) continue;
    for (const TrialIndex arm : block.arms) {
      const Trial& trial = plan.trials[arm.value];
      const Parameters& of = trial.parameters;
      if (!cloned.emplace(of[Param::engine], of[Param::mode], of[Param::device]).second) continue;
      Block& clone = clones.emplace_back();
      clone.arms = {arm, arm};
      clone.has_baseline = true;
      clone.has_clone = true;
      add_demand(clone.demand, of);
      clone.hash = hash128("clone " + to_string(trial.hash));
    }
  }
  for (Block& clone : clones) {
    clone.index = BlockIndex{static_cast<std::uint32_t>(plan.blocks.size())};
    plan.blocks.push_back(std::move(clone));
  }
}

/// Whether clones are of use. Results of a clone's programs are not kept: they would show nothing about results.
bool has_use_of_clones(const Sweep& sweep) { return sweep.measure.again && sweep.measure.metric != Metric::result; }

/// Cells of one setting in several blocks are told apart over the baseline, with half of alpha for each of the two.
/// Blocks of one setting may stand far apart: optional engines are measured last.
void count_exclusions(const Sweep& sweep, Plan& plan) {
  std::map<TrialIndex, std::size_t> beside_baseline;
  for (const Block& block : plan.blocks) {
    if (block.has_baseline) beside_baseline[block.arms.front()] += block.distinct_arms() - 1;
  }
  for (Block& block : plan.blocks) {
    if (!block.has_baseline || block.has_clone) continue;
    const std::size_t cells = 1 + beside_baseline[block.arms.front()];
    const std::size_t sides = cells > block.distinct_arms() ? 2 : 1;
    const bool in_two_passes = sweep.measure.again && cells > stats::rules::best_cells;
    block.exclusions = static_cast<std::uint32_t>(sides * stats::exclusions(cells, in_two_passes));
  }
}

/// Parameters that name an arm: engine, mode and those in which arms of a block differ.
std::vector<Param> arm_parameters(const Plan& plan) {
  ParamSet named;
  named.set(Param::engine);
  named.set(Param::mode);
  for (const Block& block : plan.blocks) {
    const Parameters& first = plan.trials[block.arms.front().value].parameters;
    for (const TrialIndex arm : block.arms) named |= differing(first, plan.trials[arm.value].parameters);
  }
  return named.members();
}

std::string arm_name(const Parameters& parameters, const std::vector<Param>& named) {
  std::string name;
  for (const Param& param : named) name += to_text(parameters[param]) + '\n';
  return name;
}

void count_families(Plan& plan) {
  const std::vector<Param> named = arm_parameters(plan);
  const auto name = [&](TrialIndex trial) { return arm_name(plan.trials[trial.value].parameters, named); };
  std::map<std::string, std::uint32_t> number_of;
  std::vector<std::uint32_t> contrasts;  // contrasts that each family has
  for (Block& block : plan.blocks) {
    if (!block.has_baseline) continue;
    for (std::size_t at = 1; at < block.distinct_arms(); ++at) {
      const auto next = static_cast<std::uint32_t>(contrasts.size());
      const auto [entry, is_new] = number_of.try_emplace(name(block.arms[at]) + '\n' + name(block.arms.front()), next);
      if (is_new) contrasts.push_back(0);
      ++contrasts[entry->second];
      ++plan.contrasts;
      block.families.push_back({.number = entry->second});
    }
  }
  for (Block& block : plan.blocks) {
    for (Family& family : block.families) family.contrasts = contrasts[family.number];
  }
}

}  // namespace

void add_blocks(const Sweep& sweep, const Points& points, Kinds& kinds, const std::vector<TrialIndex>& trial_of_point,
                Plan& plan) {
  BlockMaker maker(sweep, plan);
  if (!sweep.compare) return maker.each_alone();
  std::vector<Group> groups = group_points(sweep, points, kinds, plan.trials, trial_of_point);
  if (sweep.compare->pairs == Pairs::baseline)
    maker.beside_baselines(std::move(groups));
  else
    maker.in_pairs(pair_up(sweep, plan.trials, groups));
  if (has_use_of_clones(sweep)) add_clones(plan);
  count_exclusions(sweep, plan);
  count_families(plan);
  find_replicates(sweep, plan);
}

std::size_t clones_of(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(plan.blocks, &Block::has_clone));
}

void add_demand(Demand& demand, const Parameters& parameters) {
  if (const auto* ranks = std::get_if<std::int64_t>(&parameters[Param::ranks]))
    demand.ranks = std::max(demand.ranks, *ranks);
  if (const auto* cores = std::get_if<std::int64_t>(&parameters[Param::threads]))
    demand.cores = std::max(demand.cores, *cores);
  demand.device = std::max(demand.device, device_kind_of(parameters));
}

Demand demand_of(const Plan& plan, const std::vector<TrialIndex>& trials) {
  Demand demand;
  for (const TrialIndex trial : trials) add_demand(demand, plan.trials.at(trial.value).parameters);
  return demand;
}

}  // namespace regatta::sweep
