#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/learning/learning.hpp"
#include "analysis/learning/scores.hpp"
#include "regatta/search/final_set.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::analysis {
namespace {

constexpr std::size_t fewest_seeds = stats::rules::fewest_units;

/// More seeds than a verdict needs are no advantage; fewer are a disadvantage: a run that diverged has no score.
std::tuple<std::size_t, double> goodness_of(const Ranked& row, bool maximizes) {
  const std::size_t seeds = std::min(row.validation.by_seed.size(), fewest_seeds);
  if (seeds == 0) return {0, 0};
  return {seeds, maximizes ? row.validation.mean.value : -row.validation.mean.value};
}

/// Turned so that more is better. When all is over, a seed without a score diverged or failed.
search::FreshRuns runs_of(const Ranked& row, const Learning& learning) {
  search::FreshRuns runs;
  for (std::int64_t seed = 0; seed < learning.training.seeds; ++seed) runs[seed] = std::nullopt;
  for (const auto& each : row.validation.by_seed)
    runs[each.seed] = learning.objective.maximizes ? each.value : -each.value;
  return runs;
}

/// As a search places its finalists; the leader is the first.
void place(Learning& learning) {
  std::vector<search::FreshRuns> runs;
  for (const Ranked& row : learning.ranking) runs.push_back(runs_of(row, learning));
  const auto set = search::final_set(runs, learning.objective.margin);
  for (std::size_t i = 0; set && i < learning.ranking.size(); ++i) {
    const search::Place& place = set->places[i];
    learning.ranking[i].behind = place.behind;
    learning.ranking[i].pairs = place.pairs;
    learning.ranking[i].in_set = place.in_set;
  }
}

void sort_plain(std::vector<Ranked>& rows, bool maximizes) {
  std::ranges::stable_sort(
      rows, [&](const Ranked& a, const Ranked& b) { return goodness_of(a, maximizes) > goodness_of(b, maximizes); });
}

}  // namespace

std::vector<Ranked> ranked_plain(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                 const std::vector<results::LegRow>& legs) {
  std::map<TrialIndex, std::map<std::int64_t, double>> scores;
  std::map<TrialIndex, std::size_t> diverged;
  for (const auto& leg : legs) {
    if (leg.leg.purpose != sweep::Purpose::plain) continue;
    if (const auto score = score_of(leg, sweep.objective))
      scores[leg.trial][leg.leg.seed] = *score;
    else
      ++diverged[leg.trial];
  }
  std::vector<Ranked> rows;
  for (std::uint32_t at = 0; at < trials.size(); ++at) {
    if (std::holds_alternative<sweep::Skipped>(trials[at].outcome)) continue;
    Ranked& row = rows.emplace_back();
    row.trial = {at};
    row.validation = figure_of(scores[row.trial]);
    row.diverged = diverged[row.trial];
  }
  sort_plain(rows, sweep.objective.maximizes);
  return rows;
}

void rank_plain(Learning& learning) {
  auto& rows = learning.ranking;
  const bool has_leader = learning.over && !rows.empty() && !rows.front().validation.by_seed.empty();
  for (Ranked& row : rows) row.behind.value = std::numeric_limits<double>::quiet_NaN();
  if (has_leader) {
    learning.leader = rows.front().trial;
    place(learning);
  }
  const auto warn = [&](search::Warning warning, bool holds) {
    if (holds) learning.warnings.push_back(warning);
  };
  const auto few = [](const Ranked& row) { return row.pairs < fewest_seeds; };
  const auto diverged = [](const Ranked& row) { return row.diverged > 0; };
  warn(search::Warning::unfinished, !learning.over);
  warn(search::Warning::few_seeds, has_leader && std::ranges::any_of(rows, few));
  warn(search::Warning::all_diverged, learning.over && !rows.empty() && !has_leader);
  warn(search::Warning::unstable, has_leader && std::ranges::any_of(rows, diverged));
}

}  // namespace regatta::analysis
