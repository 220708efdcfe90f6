#include "regatta/analysis/learning.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/judging/judging.hpp"
#include "analysis/learning/learning.hpp"
#include "analysis/learning/scores.hpp"
#include "analysis/learning/targets.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::analysis {
namespace {

using sweep::Purpose;
using BySeed = std::map<std::int64_t, double>;

/// Runs that chose nothing: under fresh seeds after a search, else all.
struct RunFigures {
  BySeed scores, test, test_loss, seconds;
  Hits hits;
  Arrivals arrivals;
  double peak_bytes = 0;
  std::size_t diverged = 0;
};

std::map<TrialIndex, RunFigures> run_figures(const results::Results& results, const sweep::Objective& objective,
                                             const std::vector<ColdStart>& starts) {
  std::map<TrialIndex, RunFigures> all;
  for (const auto& leg : results.legs) {
    const Purpose purpose = leg.leg.purpose;
    if (purpose == Purpose::search || purpose == Purpose::clone || purpose == Purpose::again) continue;
    RunFigures& figures = all[leg.trial];
    const std::int64_t seed = leg.leg.seed;
    if (const auto test = test_of(leg, objective); test && std::isfinite(*test)) figures.test[seed] = *test;
    if (const auto loss = leg.learned.test_loss; loss && std::isfinite(*loss)) figures.test_loss[seed] = *loss;
    if (!leg.learned.test_hits.empty())
      figures.hits[seed] = sweep::hits_of(leg.learned.test_hits, leg.learned.test_samples);
    if (purpose == Purpose::test) continue;
    figures.peak_bytes = std::max(figures.peak_bytes, leg.learned.peak_bytes);
    const auto& engine = sweep::text_of(results.trials[leg.trial.value].parameters, sweep::Param::engine);
    if (const auto arrival = arrival_of(leg, objective, cold_start_of(starts, engine)))
      figures.arrivals[seed] = *arrival;
    const auto score = score_of(leg, objective);
    if (!score) {
      ++figures.diverged;
      continue;
    }
    figures.scores[seed] = *score;
    if (!leg.learned.curve.points.empty()) figures.seconds[seed] = leg.learned.curve.points.back().train_seconds;
  }
  return all;
}

/// Test, costs, and what holds for new samples.
void complete(Ranked& row, const RunFigures& figures, const Learning& learning) {
  row.test = figure_of(figures.test);
  row.train_seconds = figure_of(figures.seconds);
  if (figures.peak_bytes > 0) row.peak_bytes = figures.peak_bytes;
  if (!figures.arrivals.empty()) row.target = target_of(figures.arrivals);
  if (learning.objective.metric == sweep::validation_loss) return;
  row.test_loss = figure_of(figures.test_loss);
  if (row.test.by_seed.empty() || learning.parts.test <= 0) return;
  const stats::Range range = accuracy_for_new_samples(figures.hits, stats::rules::alpha).range;
  row.new_samples = range.finite() ? range : for_new_samples(row.test.mean.value, learning.parts.test);
}

/// The verdict on a search, with trials in place of its numbers.
void take_search(Learning& learning, const sweep::Sweep& sweep, const results::Results& results) {
  const SearchStand stand = search_stand(sweep, results.trials, results.legs);
  const search::Verdict verdict = search::verdict(stand.problem, stand.runs);
  learning.over = verdict.over;
  if (verdict.leader) learning.leader = stand.trials.at(*verdict.leader);
  learning.left_out = verdict.left_out;
  learning.optimism = verdict.optimism;
  learning.noise = verdict.noise;
  learning.cost = verdict.cost;
  learning.warnings = verdict.warnings;
  for (const search::Finalist& each : verdict.finalists) {
    Ranked row;
    row.trial = stand.trials.at(each.configuration);
    row.searched = each.searched;
    row.validation = each.fresh;
    row.diverged = each.diverged;
    row.behind = each.behind;
    row.pairs = each.pairs;
    row.in_set = each.in_set;
    learning.ranking.push_back(std::move(row));
  }
  for (const search::Stopped& each : verdict.stopped)
    learning.stopped.push_back({stand.trials.at(each.configuration), each.after_rung, each.diverged, each.trained_on,
                                each.end_score, each.would_be_in_set});
}

void take_plain(Learning& learning, const sweep::Sweep& sweep, const results::Results& results) {
  learning.over = deciding_legs_due(sweep, results.trials, results.legs).empty();
  learning.ranking = ranked_plain(sweep, results.trials, results.legs);
  rank_plain(learning);
  for (const auto& leg : results.legs)
    (leg.leg.purpose == Purpose::again ? learning.cost.repeats : learning.cost.fresh) +=
        trained_part_of(leg, *sweep.training);
  learning.cost.everything =
      static_cast<double>(learning.ranking.size() * static_cast<std::size_t>(sweep.training->seeds));
}

/// Where it is not known which samples were right: as far as the leader's own accuracy may lie off.
double low_without_hits(const Ranked& leader, const Ranked& row) {
  const double half_width = leader.new_samples ? (leader.new_samples->high - leader.new_samples->low) / 2 : 1;
  return leader.test.mean.value - row.test.mean.value - half_width;
}

/// Where others are shown worse: whether that would hold for samples to come, and what pairing bought.
void compare_with_leader(Learning& learning, const std::map<TrialIndex, RunFigures>& figures) {
  if (!learning.leader) return;
  const Ranked& leader = learning.ranking.front();
  const RunFigures none;
  const auto figures_of = [&](const Ranked& row) -> const RunFigures& {
    const auto found = figures.find(row.trial);
    return found == figures.end() ? none : found->second;
  };
  const double alpha = stats::rules::alpha / static_cast<double>(std::max<std::size_t>(learning.ranking.size(), 2) - 1);
  for (Ranked& row : learning.ranking) {
    if (row.trial == *learning.leader) continue;
    if (row.target) row.target->ratio = ratio_to_leader(figures_of(leader).arrivals, figures_of(row).arrivals);
    row.correlation = paired(leader.validation, row.validation, stats::rules::alpha).correlation;
    const bool has_test = !row.test.by_seed.empty() && is_accuracy(learning.objective.metric);
    if (row.in_set || !has_test) continue;
    const stats::Estimate difference = difference_for_new_samples(figures_of(leader).hits, figures_of(row).hits, alpha);
    const double low = std::isnan(difference.value) ? low_without_hits(leader, row) : difference.range.low;
    row.few_test_samples = !(low > learning.objective.margin);
  }
}

SeedNoise seed_noise_of(const std::vector<Ranked>& ranking) {
  SeedNoise noise;
  double squares = 0;
  for (const Ranked& row : ranking) {
    const auto& runs = row.validation.by_seed;
    if (runs.size() < 2) continue;
    for (const auto& run : runs) squares += std::pow(run.value - row.validation.mean.value, 2);
    noise.runs += runs.size();
    ++noise.configurations;
  }
  if (noise.configurations > 0)
    noise.spread = std::sqrt(squares / static_cast<double>(noise.runs - noise.configurations));
  return noise;
}

/// No accuracy lies beyond 0 and 1, nor do two lie further apart; Student's interval knows nothing of that.
void keep_within_one(Learning& learning) {
  const auto keep = [](stats::Range& range, double low) {
    if (range.finite()) range = {std::clamp(range.low, low, 1.0), std::clamp(range.high, low, 1.0)};
  };
  for (Ranked& row : learning.ranking) {
    keep(row.validation.mean.range, 0);
    keep(row.test.mean.range, 0);
    keep(row.behind.range, -1);
  }
}

/// Engine and mode tell nothing apart where all configurations have the same.
std::vector<sweep::Param> axes_that_vary(const results::Results& results) {
  const Axes axes = axes_of(results);
  std::vector<sweep::Param> all = axes.arm;
  all.insert(all.end(), axes.stratum.begin(), axes.stratum.end());
  std::erase_if(all, [&](sweep::Param param) {
    return std::ranges::all_of(results.trials, [&](const auto& trial) {
      return trial.parameters[param] == results.trials.front().parameters[param];
    });
  });
  return all;
}

}  // namespace

bool is_accuracy(const std::string& metric) { return metric == sweep::validation_accuracy; }

std::optional<Learning> learning_of(const results::Results& results) {
  const auto sweep = spec_of(results);
  if (!sweep || !sweep->training) return std::nullopt;
  Learning learning;
  learning.training = *sweep->training;
  learning.objective = sweep->objective;
  learning.search = sweep->search;
  learning.axes = axes_that_vary(results);
  learning.openings = results.openings;
  learning.parts = parts_of(results.legs);
  learning.tally = tally_of(results);
  learning.failures = failures_of(results.legs);
  learning.starts = cold_starts_of(results.trials, results.legs);
  const auto figures = run_figures(results, sweep->objective, learning.starts);
  if (sweep->search)
    take_search(learning, *sweep, results);
  else
    take_plain(learning, *sweep, results);
  learning.repeats = repeats_of(results.trials, results.legs);
  if (learning.over) learning.repeats_due = repeats_due(*sweep, results.trials, results.legs).size();
  for (Ranked& row : learning.ranking) {
    const auto found = figures.find(row.trial);
    complete(row, found == figures.end() ? RunFigures() : found->second, learning);
  }
  learning.seed_noise = seed_noise_of(learning.ranking);
  compare_with_leader(learning, figures);
  if (is_accuracy(learning.objective.metric)) keep_within_one(learning);
  tell_dominated(learning);
  return learning;
}

}  // namespace regatta::analysis
