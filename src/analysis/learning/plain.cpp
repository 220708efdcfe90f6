#include "analysis/learning/plain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "analysis/learning/scores.hpp"
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

/// The chance of at least so many heads in so many tosses of a fair coin.
double chance_of(std::size_t least, std::size_t tosses) {
  double chance = 0;
  double ways = 1;
  for (std::size_t heads = 0; heads <= tosses; ++heads) {
    if (heads >= least) chance += ways;
    ways *= static_cast<double>(tosses - heads) / static_cast<double>(heads + 1);
  }
  return chance * std::pow(0.5, static_cast<double>(tosses));
}

/// It diverges where the leader does not, more often than by chance.
bool is_shown_to_diverge(const Ranked& leader, const Ranked& row, double alpha) {
  const std::size_t leader_alone = leader.validation.by_seed.size() - row.pairs;
  const std::size_t row_alone = row.validation.by_seed.size() - row.pairs;
  if (row.diverged == 0 || row.pairs + leader_alone < fewest_seeds) return false;
  return chance_of(leader_alone, leader_alone + row_alone) <= alpha / 2;
}

void place(Learning& learning, double alpha) {
  const double sign = learning.objective.maximizes ? 1 : -1;
  const Ranked& leader = learning.ranking.front();
  for (Ranked& row : learning.ranking) {
    if (row.trial == leader.trial) {
      row.behind = {0, {0, 0}};
      row.pairs = row.validation.by_seed.size();
      continue;
    }
    const Paired both = paired(leader.validation, row.validation, alpha);
    const auto& range = both.difference.range;
    row.behind = {sign * both.difference.value,
                  sign > 0 ? range : stats::Range{.low = -range.high, .high = -range.low}};
    row.pairs = both.pairs;
    const bool is_worse = row.pairs >= fewest_seeds && row.behind.range.low > learning.objective.margin;
    row.in_set = !is_worse && !is_shown_to_diverge(leader, row, alpha);
  }
}

}  // namespace

void rank_plain(Learning& learning) {
  auto& rows = learning.ranking;
  std::ranges::stable_sort(rows, [&](const Ranked& a, const Ranked& b) {
    return goodness_of(a, learning.objective.maximizes) > goodness_of(b, learning.objective.maximizes);
  });
  const bool has_leader = learning.over && !rows.empty() && !rows.front().validation.by_seed.empty();
  for (Ranked& row : rows) row.behind.value = std::numeric_limits<double>::quiet_NaN();
  if (has_leader) {
    learning.leader = rows.front().trial;
    place(learning, stats::rules::alpha / static_cast<double>(std::max<std::size_t>(rows.size(), 2) - 1));
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
