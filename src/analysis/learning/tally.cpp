#include <algorithm>
#include <map>
#include <set>

#include "analysis/learning/learning.hpp"

namespace regatta::analysis {
namespace {

using RunKey = std::pair<TrialIndex, std::int64_t>;

}  // namespace

Tally tally_of(const results::Results& results) {
  Tally tally;
  for (const auto& trial : results.trials)
    ++(std::holds_alternative<sweep::Skipped>(trial.outcome) ? tally.skipped : tally.configurations);
  std::map<RunKey, std::pair<double, double>> seconds;  // both clocks begin with the run, not with the leg
  std::set<RunKey> tested, diverged, stopped;
  for (const auto& leg : results.legs) {
    if (std::holds_alternative<sweep::Skipped>(results.trials[leg.trial.value].outcome)) continue;
    if (leg.leg.purpose == sweep::Purpose::again) continue;  // no run of its own
    const RunKey run{leg.trial, leg.leg.seed};
    ++tally.legs;
    if (leg.learned.test_loss || leg.learned.test_accuracy) tested.insert(run);
    if (leg.leg.purpose == sweep::Purpose::test) continue;
    auto& [train, evaluate] = seconds[run];
    if (leg.learned.end == sweep::LegEnd::diverged) diverged.insert(run);
    if (leg.learned.end == sweep::LegEnd::stopped) stopped.insert(run);
    if (leg.learned.curve.points.empty()) continue;
    train = std::max(train, leg.learned.curve.points.back().train_seconds);
    evaluate = std::max(evaluate, leg.learned.curve.points.back().evaluate_seconds);
  }
  for (const auto& [run, both] : seconds) {
    tally.train_seconds += both.first;
    tally.evaluate_seconds += both.second;
  }
  tally.runs = seconds.size();
  tally.tested = tested.size();
  tally.diverged = diverged.size();
  tally.stopped_early = stopped.size();
  return tally;
}

Parts parts_of(const std::vector<results::LegRow>& legs) {
  Parts parts;
  for (const auto& leg : legs) {
    const sweep::Learned& learned = leg.learned;
    if (parts.training == 0) parts.training = learned.training_samples;
    if (parts.validation == 0) parts.validation = learned.validation_samples;
    if (parts.test == 0) parts.test = learned.test_samples;
    if (parts.repeated == 0) parts.repeated = learned.repeated_samples;
  }
  return parts;
}

std::vector<LegFailure> failures_of(const std::vector<results::LegRow>& legs) {
  std::vector<LegFailure> failures;
  for (const auto& leg : legs) {
    if (std::holds_alternative<sweep::Failed>(leg.outcome))
      failures.push_back({leg.trial, leg.leg, sweep::reason_of(leg.outcome)});
  }
  return failures;
}

}  // namespace regatta::analysis
