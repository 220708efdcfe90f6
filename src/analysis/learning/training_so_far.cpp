#include "regatta/analysis/training_so_far.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/judging/judging.hpp"
#include "analysis/learning/scores.hpp"
#include "regatta/analysis/learning_curves.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

using sweep::Purpose;

std::set<TrialIndex> stopped_trials(const Learning& learning) {
  std::set<TrialIndex> stopped;
  for (const StoppedTrial& each : learning.stopped) stopped.insert(each.trial);
  return stopped;
}

/// The stage that a leg belongs to, due or recorded.
TrainingStage stage_of(const DueLeg& leg, const std::set<TrialIndex>& stopped) {
  const auto& [trial, what] = leg;
  if (what.purpose == Purpose::plain) return TrainingStage::seeds;
  if (what.purpose == Purpose::fresh) return TrainingStage::fresh;
  if (what.purpose == Purpose::test) return TrainingStage::test;
  if (what.purpose == Purpose::again) return TrainingStage::again;
  return stopped.contains(trial) ? TrainingStage::trained_on : TrainingStage::rung;
}

/// Whether the leg belongs to the stage. A stopped trial that is trained on has legs beyond the rung that it left.
bool is_of_stage(const results::LegRow& leg, const TrainingSoFar& so_far, const Learning& learning,
                 const std::set<TrialIndex>& stopped) {
  if (stage_of({leg.trial, leg.leg}, stopped) != so_far.stage) return false;
  if (so_far.stage == TrainingStage::rung) return leg.leg.rung == so_far.rung;
  if (so_far.stage != TrainingStage::trained_on) return true;
  const auto one = std::ranges::find(learning.stopped, leg.trial, &StoppedTrial::trial);
  return one->trained_on && leg.leg.rung > one->after_rung;
}

std::size_t left_in(const TrainingSoFar& so_far, const Learning& learning) {
  const auto trained_on = std::ranges::count_if(learning.stopped, &StoppedTrial::trained_on);
  switch (so_far.stage) {
    case TrainingStage::rung:
      return learning.tally.configurations - std::min(learning.tally.configurations, learning.stopped.size());
    case TrainingStage::fresh:
    case TrainingStage::test:
      return learning.ranking.size();
    case TrainingStage::trained_on:
      return static_cast<std::size_t>(trained_on);
    case TrainingStage::again:
      return learning.repeats.size() + learning.repeats_due;
    case TrainingStage::seeds:
    case TrainingStage::over:
      break;
  }
  return learning.tally.configurations;
}

void tell_stage(TrainingSoFar& so_far, const results::Results& results, const Learning& learning,
                const std::vector<DueLeg>& due) {
  const std::set<TrialIndex> stopped = stopped_trials(learning);
  for (const DueLeg& leg : due) so_far.stage = std::min(so_far.stage, stage_of(leg, stopped));
  so_far.legs_due = due.size();
  so_far.left = left_in(so_far, learning);
  for (const DueLeg& leg : due) {
    if (stage_of(leg, stopped) != so_far.stage) continue;
    ++so_far.asked;
    so_far.rung = leg.second.rung;  // one rung competes at a time
  }
  for (const results::LegRow& leg : results.legs) so_far.recorded += is_of_stage(leg, so_far, learning, stopped);
  so_far.asked += so_far.recorded;
}

constexpr std::uint32_t beyond_rungs = 1'000'000;

/// A frontrunner, and by what it stands where it does.
struct Placed {
  Frontrunner runner;
  std::uint32_t rung = 0;  ///< the rung that it has a score of
};

/// Configurations that are left, each as far as it got under the search's seed.
std::vector<Placed> search_runners(const results::Results& results, const Learning& learning) {
  const std::set<TrialIndex> stopped = stopped_trials(learning);
  std::map<TrialIndex, const results::LegRow*> furthest;
  for (const results::LegRow& leg : results.legs) {
    if (leg.leg.purpose != Purpose::search || stopped.contains(leg.trial)) continue;
    const results::LegRow*& known = furthest[leg.trial];
    if (known == nullptr || leg.leg.rung > known->leg.rung) known = &leg;
  }
  std::vector<Placed> all;
  for (SearchTrace& trace : learning_curves(results, learning, 0).traces) {
    const auto leg = furthest.find(trace.trial);
    if (leg == furthest.end() || trace.points.empty()) continue;
    const auto score = score_of(*leg->second, learning.objective);
    if (score) all.push_back({{trace.trial, 1, std::move(trace.points), *score}, leg->second->leg.rung});
  }
  return all;
}

/// Configurations that are judged, in the order of the ranking.
std::vector<Placed> judged_runners(const results::Results& results, const Learning& learning) {
  std::vector<Placed> all;
  for (LearningCurve& curve : learning_curves(results, learning, learning.ranking.size()).curves) {
    const Ranked& row = *std::ranges::find(learning.ranking, curve.trial, &Ranked::trial);
    if (row.validation.by_seed.empty()) continue;
    Placed placed{{.trial = curve.trial, .runs = curve.runs, .points = {}, .best = 0}, beyond_rungs};
    for (const CurveStage& stage : curve.stages) placed.runner.points.emplace_back(stage.progress, stage.median);
    std::vector<double> bests;
    for (const auto& run : row.validation.by_seed) bests.push_back(run.value);
    placed.runner.best = stats::median(bests);
    all.push_back(std::move(placed));
  }
  return all;
}

std::vector<Frontrunner> ahead_of(const results::Results& results, const Learning& learning, std::size_t most) {
  std::vector<Placed> all = judged_runners(results, learning);
  for (Placed& each : search_runners(results, learning)) {
    const auto is_same = [&](const Placed& other) { return other.runner.trial == each.runner.trial; };
    if (std::ranges::none_of(all, is_same)) all.push_back(std::move(each));
  }
  const double sign = learning.objective.maximizes ? -1 : 1;
  if (!learning.leader)  // judged trials keep their places by the report's rules
    std::ranges::stable_sort(all, {}, [&](const Placed& each) {
      return std::tuple(-static_cast<std::int64_t>(each.rung), sign * each.runner.best);
    });
  all.resize(std::min(all.size(), most));
  std::vector<Frontrunner> ahead;
  for (Placed& each : all) ahead.push_back(std::move(each.runner));
  return ahead;
}

}  // namespace

std::string_view name_of(TrainingStage stage) {
  static constexpr std::string_view names[] = {"seeds", "rung", "fresh", "test", "trained on", "again", "over"};
  return names[static_cast<std::size_t>(stage)];
}

TrainingSoFar training_so_far(const results::Results& results, const Learning& learning, std::size_t most) {
  TrainingSoFar so_far;
  if (const auto sweep = spec_of(results); sweep && sweep->training)
    tell_stage(so_far, results, learning, legs_due(*sweep, results.trials, results.legs));
  const search::Cost& cost = learning.cost;
  so_far.trainings = cost.search + cost.clones + cost.trained_on + cost.fresh + cost.repeats;
  so_far.ahead = ahead_of(results, learning, most);
  return so_far;
}

}  // namespace regatta::analysis
