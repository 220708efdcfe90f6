#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/ranks/ranks.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;

bool tells(const results::TrialRow& trial) {
  return std::holds_alternative<sweep::Finished>(trial.outcome) && trial.verified != sweep::Verified::no &&
         std::holds_alternative<std::int64_t>(trial.parameters[Param::ranks]) && metric(trial, "step_time_mean");
}

/// As much of a step as in the process that told it: others of the same trial may be faster or slower.
std::optional<double> exposed_in(const results::TrialRow& trial, double step_seconds, double last_step_seconds) {
  const std::optional<double> told = metric(trial, "exposed_exchange");
  const double of_seconds = last_step_seconds > 0 ? last_step_seconds : step_seconds;
  if (!told || *told > of_seconds) return std::nullopt;
  return *told / of_seconds * step_seconds;
}

RankCell cell_of(const results::TrialRow& trial, TrialIndex index, double last_step_seconds) {
  RankCell cell;
  cell.trial = index;
  cell.ranks = sweep::integer_or(trial.parameters, Param::ranks, 1);
  cell.shards = sweep::integer_or(trial.parameters, Param::shards, 0);
  cell.batch = sweep::batch_of(trial.parameters).value_or(0);
  cell.step_seconds = *metric(trial, "step_time_mean");
  if (cell.ranks > 1) cell.exposed_seconds = exposed_in(trial, cell.step_seconds, last_step_seconds);
  cell.slowest_rank = sweep::text_of(trial.facts, sweep::Fact::slowest_rank);
  cell.spread_seconds = metric(trial, "rank_spread");
  return cell;
}

/// By trial, what changes where nothing is exchanged.
std::map<TrialIndex, const ChangedCell*> without_exchange(const std::vector<Explanation>& explanations) {
  std::map<TrialIndex, const ChangedCell*> found;
  for (const Explanation& explanation : explanations) {
    for (const ChangedCell& change : explanation.changes) {
      const bool is_it = change.intervention.kind == sweep::InterventionKind::exchange_off;
      if (is_it && std::isfinite(change.ratio)) found[explanation.trial] = &change;
    }
  }
  return found;
}

void take_exchange(RankCell& cell, const ChangedCell& change) {
  cell.exchange_off = JudgedRatio{change.ratio, change.low, change.high, change.verdict};
  cell.exchange_counts = !change.flags.has(stats::Flag::drifting);
}

/// Everything but what makes the cells of a group differ.
sweep::Parameters shared_part(sweep::Parameters parameters, bool has_own_batch) {
  for (const Param param : {Param::ranks, Param::shards}) parameters.set(param, {});
  if (!has_own_batch) parameters.set(Param::batch, {});
  return parameters;
}

std::string name_of(const sweep::Parameters& shared, const Axes& axes, std::optional<std::int64_t> each_ranks) {
  std::vector<Param> shown = axes.arm;
  for (const auto* params : {&axes.stratum, &axes.replicates})
    shown.insert(shown.end(), params->begin(), params->end());
  std::string name = label(shared, shown);
  if (each_ranks) name += fmt::format("{}{} samples a rank", name.empty() ? "" : ", ", *each_ranks);
  return name;
}

/// Groups by what their trials share, in the order in which they are met.
class Groups {
 public:
  Groups(const results::Results& results, const Axes& axes) : results_(results), axes_(axes) {}

  void add(const RankCell& cell, std::optional<std::int64_t> each_ranks) {
    sweep::Parameters shared = shared_part(results_.trials[cell.trial.value].parameters, !each_ranks.has_value());
    const std::string name = name_of(shared, axes_, each_ranks);
    const std::string key = key_of(shared, each_ranks);
    // One rank has neither buckets nor a part of an optimizer, and stands beside each way that several have these. With
    // one shard it stands beside each of these, too.
    const sweep::Value statistics = shared[Param::batch_statistics];
    for (const Param param : {Param::bucket_bytes, Param::optimizer_state, Param::batch_statistics})
      shared.set(param, {});
    const std::string base = key_of(shared, each_ranks);
    const std::string divided = base + sweep::to_text(statistics);
    if (cell.ranks == 1) {
      ones_.emplace_back(divided, cell);
      return;
    }
    const auto [entry, is_new] = places_.try_emplace(key, groups_.size());
    if (is_new) {
      groups_.emplace_back().name = name;
      groups_.back().each_ranks = each_ranks;
      of_base_[divided].push_back(entry->second);
      if (const std::string whole = base + sweep::to_text({}); whole != divided)
        of_base_[whole].push_back(entry->second);
    }
    groups_[entry->second].cells.push_back(cell);
  }

  std::vector<RankScaling> take() {
    for (const auto& [base, cell] : ones_) {
      for (const std::size_t place : of_base_[base]) groups_[place].cells.push_back(cell);
    }
    std::erase_if(groups_, [](const RankScaling& group) { return !is_of_ranks(group); });
    for (RankScaling& group : groups_)
      std::ranges::sort(group.cells, {}, [](const RankCell& cell) { return std::tuple(cell.shards, cell.ranks); });
    return std::move(groups_);
  }

 private:
  /// Where batches grow, one rank and several belong to it; a batch by itself stands in another group already.
  static bool is_of_ranks(const RankScaling& group) {
    const auto several = [](const RankCell& cell) { return cell.ranks > 1; };
    if (group.each_ranks && std::ranges::all_of(group.cells, several)) return false;
    return std::ranges::any_of(group.cells, several);
  }

  static std::string key_of(const sweep::Parameters& shared, std::optional<std::int64_t> each_ranks) {
    return sweep::to_json(shared) + (each_ranks ? fmt::format(" {}", *each_ranks) : "");
  }

  const results::Results& results_;
  const Axes& axes_;
  std::vector<std::pair<std::string, RankCell>> ones_;  ///< by what they share with ranks of any bucket size
  std::unordered_map<std::string, std::vector<std::size_t>> of_base_;
  std::vector<RankScaling> groups_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

std::vector<RankScaling> rank_groups(const results::Results& results, const Axes& axes,
                                     const std::vector<Explanation>& explanations) {
  const auto has_ranks = [](const results::TrialRow& trial) {
    return sweep::integer_or(trial.parameters, Param::ranks, 1) > 1;
  };
  if (std::ranges::none_of(results.trials, has_ranks)) return {};
  const auto unexchanged = without_exchange(explanations);
  const std::vector<double> last_steps = last_process_steps(results);
  std::vector<RankCell> cells;
  for (std::uint32_t i = 0; i < results.trials.size(); ++i) {
    if (!tells(results.trials[i])) continue;
    RankCell& cell = cells.emplace_back(cell_of(results.trials[i], TrialIndex{i}, last_steps[i]));
    if (const auto off = unexchanged.find(cell.trial); off != unexchanged.end()) take_exchange(cell, *off->second);
  }
  Groups strong(results, axes);
  Groups weak(results, axes);
  for (const RankCell& cell : cells) {
    strong.add(cell, std::nullopt);
    if (cell.batch > 0 && cell.batch % cell.ranks == 0) weak.add(cell, cell.batch / cell.ranks);
  }
  auto groups = strong.take();
  for (RankScaling& group : weak.take()) groups.push_back(std::move(group));
  return groups;
}

}  // namespace regatta::analysis
