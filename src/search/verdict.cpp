#include "regatta/search/verdict.hpp"

#include <algorithm>
#include <limits>

#include "regatta/search/due.hpp"
#include "regatta/search/final_set.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"
#include "search/finals.hpp"
#include "search/search.hpp"

namespace regatta::search {
namespace {

using sweep::Purpose;

Figure figure_of(std::vector<SeedValue> by_seed) {
  std::vector<double> values;
  for (const SeedValue& each : by_seed) values.push_back(each.value);
  return {.by_seed = std::move(by_seed), .mean = stats::student_mean(values)};
}

FreshRuns fresh_runs_of(const Problem& problem, const Records& records, std::size_t configuration) {
  FreshRuns runs;
  for (const std::int64_t seed : fresh_seeds(problem)) {
    const Done* run = recorded(records, fresh_leg(configuration, seed));
    if (run != nullptr) runs[seed] = goodness_of(problem.objective, run->score);
  }
  return runs;
}

Figure test_of(const Problem& problem, const Records& records, std::size_t configuration) {
  std::vector<SeedValue> values;
  for (const std::int64_t seed : fresh_seeds(problem)) {
    const Done* run = recorded(records, test_leg(configuration, seed));
    if (run != nullptr && run->test) values.push_back({seed, *run->test});
  }
  return figure_of(std::move(values));
}

Finalist finalist_of(const Problem& problem, const Records& records, const Contender& contender,
                     const FreshRuns& runs) {
  std::vector<SeedValue> values;
  std::size_t diverged = 0;
  for (const auto& [seed, goodness] : runs) {
    if (goodness) values.push_back({seed, score_of(problem.objective, *goodness)});
    diverged += goodness ? 0 : 1;
  }
  return {.configuration = contender.configuration,
          .searched = score_of(problem.objective, contender.goodness),
          .fresh = figure_of(std::move(values)),
          .test = test_of(problem, records, contender.configuration),
          .diverged = diverged,
          .behind = {std::numeric_limits<double>::quiet_NaN(), {}},
          .pairs = 0,
          .in_set = true};
}

void warn(Verdict& verdict, Warning warning, bool holds) {
  if (holds) verdict.warnings.push_back(warning);
}

/// The best first, those without a score last.
void sort_finalists(const sweep::Objective& objective, std::size_t leader, std::vector<Finalist>& finalists) {
  const auto goes_before = [&](const Finalist& a, const Finalist& b) {
    const auto rank = [&](const Finalist& each) {
      return std::pair(each.configuration != leader, each.fresh.by_seed.empty());
    };
    if (rank(a) != rank(b) || a.fresh.by_seed.empty()) return rank(a) < rank(b);
    return score_of(objective, a.fresh.mean.value) > score_of(objective, b.fresh.mean.value);
  };
  std::ranges::stable_sort(finalists, goes_before);
}

struct Finals {
  std::vector<FreshRuns> runs;
  std::optional<FinalSet> set;  ///< once all runs are recorded
};

Finals conclude(const Problem& problem, const Records& records, const Competition& competition, Verdict& verdict) {
  Finals finals;
  bool complete = true;
  const std::vector<Contender> finalists = finalists_of(problem, competition);
  verdict.left_out = near_the_best(problem, competition).size() - finalists.size();
  for (const Contender& each : finalists) {
    const FreshRuns runs = fresh_runs_of(problem, records, each.configuration);
    verdict.finalists.push_back(finalist_of(problem, records, each, runs));
    finals.runs.push_back(runs);
    complete = complete && runs.size() == static_cast<std::size_t>(problem.seeds);
  }
  if (complete) finals.set = final_set(finals.runs, problem.objective.margin);
  if (!finals.set) return finals;
  for (std::size_t i = 0; i < finals.runs.size(); ++i) {
    const Place& place = finals.set->places[i];
    verdict.finalists[i].behind = place.behind;
    verdict.finalists[i].pairs = place.pairs;
    verdict.finalists[i].in_set = place.in_set;
  }
  const Finalist& leader = verdict.finalists[finals.set->leader];
  verdict.leader = leader.configuration;
  verdict.optimism = score_of(problem.objective, leader.searched - leader.fresh.mean.value);
  sort_finalists(problem.objective, *verdict.leader, verdict.finalists);
  return finals;
}

void tell_stopped(const Problem& problem, const Records& records, const Competition& competition, const Finals& finals,
                  Verdict& verdict) {
  verdict.stopped = stopped_of(problem, competition);
  for (const TrainedOn& one : trained_on_of(problem, competition)) {
    const Done* run = recorded(records, one.rest);
    const auto goodness = run == nullptr ? std::nullopt : goodness_of(problem.objective, run->score);
    if (!goodness) continue;
    Stopped& stopped = *std::ranges::find(verdict.stopped, one.standing.entry.configuration, &Stopped::configuration);
    stopped.end_score = score_of(problem.objective, *goodness);
    stopped.would_be_in_set = finals.set && might_belong(finals.runs, *finals.set, *goodness, problem.objective.margin);
  }
}

double trained_in(const Done& run) { return run.trained.value_or(run.leg.to - run.leg.from); }

Cost cost_of(const Problem& problem, const Records& records, const Competition& competition) {
  Cost cost;
  cost.everything = static_cast<double>(problem.configurations.size()) * static_cast<double>(problem.seeds);
  for (const auto& [key, run] : records) {
    const double trained = trained_in(run);
    if (run.leg.purpose == Purpose::search) cost.search += trained;
    if (run.leg.purpose == Purpose::clone) cost.clones += trained;
    if (run.leg.purpose == Purpose::fresh) cost.fresh += trained;
    if (run.leg.purpose == Purpose::again) cost.repeats += trained;
  }
  for (const TrainedOn& one : trained_on_of(problem, competition)) {
    const Done* run = recorded(records, one.rest);
    if (run == nullptr) continue;
    const double trained = trained_in(*run);
    (one.rest.leg.purpose == Purpose::clone ? cost.clones : cost.search) -= trained;
    cost.trained_on += trained;
  }
  return cost;
}

void tell_warnings(const Problem& problem, const Competition& competition, Verdict& verdict) {
  const auto few = [&](const Finalist& each) { return each.pairs < stats::rules::fewest_units; };
  const auto unstable = [](const Finalist& each) { return each.diverged > 0; };
  const bool nobody = competition.over && contenders_of(problem, competition).empty();
  warn(verdict, Warning::unfinished, !verdict.over);
  warn(verdict, Warning::few_seeds, verdict.leader && std::ranges::any_of(verdict.finalists, few));
  warn(verdict, Warning::no_noise, competition.over && !nobody && competition.rungs.back().noise.pairs == 0);
  warn(verdict, Warning::all_diverged, nobody && !problem.configurations.empty());
  warn(verdict, Warning::unstable, std::ranges::any_of(verdict.finalists, unstable));
}

}  // namespace

Verdict verdict(const Problem& problem, std::span<const Done> runs) {
  const Records records = records_of(runs);
  const Competition competition = compete(problem, records);
  Verdict verdict;
  verdict.over = due(problem, runs).empty();
  const Finals finals = conclude(problem, records, competition, verdict);
  tell_stopped(problem, records, competition, finals, verdict);
  for (const Rung& rung : competition.rungs) verdict.noise.push_back(rung.noise);
  verdict.cost = cost_of(problem, records, competition);
  tell_warnings(problem, competition, verdict);
  return verdict;
}

}  // namespace regatta::search
