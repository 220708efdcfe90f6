#include <map>
#include <set>

#include "analysis/learning/learning.hpp"
#include "analysis/learning/scores.hpp"
#include "regatta/analysis/learning.hpp"

namespace regatta::analysis {
namespace {

std::vector<DueLeg> plain_legs_due(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                   const std::vector<results::LegRow>& legs) {
  std::set<std::pair<TrialIndex, std::int64_t>> done;
  for (const results::LegRow& leg : legs) {
    if (leg.leg.purpose == sweep::Purpose::plain) done.emplace(leg.trial, leg.leg.seed);
  }
  std::vector<DueLeg> due;
  // Configurations that are compared run side by side.
  for (std::int64_t seed = 0; seed < sweep.training->seeds; ++seed) {
    for (std::uint32_t at = 0; at < trials.size(); ++at) {
      if (std::holds_alternative<sweep::Skipped>(trials[at].outcome)) continue;
      if (!done.contains({{at}, seed})) due.push_back({{at}, {sweep::Purpose::plain, seed, 0, 0, 1}});
    }
  }
  return due;
}

}  // namespace

SearchStand search_stand(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                         const std::vector<results::LegRow>& legs) {
  SearchStand stand;
  stand.problem.search = *sweep.search;
  stand.problem.objective = sweep.objective;
  stand.problem.seeds = sweep.training->seeds;
  std::map<TrialIndex, std::size_t> configuration_of;
  for (std::uint32_t at = 0; at < trials.size(); ++at) {
    if (std::holds_alternative<sweep::Skipped>(trials[at].outcome)) continue;
    configuration_of[{at}] = stand.trials.size();
    stand.trials.push_back({at});
    stand.problem.configurations.push_back(trials[at].hash);
  }
  for (const results::LegRow& leg : legs) {
    const auto configuration = configuration_of.find(leg.trial);
    if (configuration == configuration_of.end()) continue;
    search::Done run;
    run.configuration = configuration->second;
    run.leg = leg.leg;
    run.score = score_of(leg, sweep.objective);
    run.test = test_of(leg, sweep.objective);
    run.trained = trained_part_of(leg, *sweep.training);
    stand.runs.push_back(run);
  }
  return stand;
}

std::vector<DueLeg> deciding_legs_due(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                      const std::vector<results::LegRow>& legs) {
  if (!sweep.search) return plain_legs_due(sweep, trials, legs);
  const SearchStand stand = search_stand(sweep, trials, legs);
  std::vector<DueLeg> due;
  for (const search::Due& each : search::due(stand.problem, stand.runs))
    due.push_back({stand.trials.at(each.configuration), each.leg});
  return due;
}

std::vector<DueLeg> legs_due(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                             const std::vector<results::LegRow>& legs) {
  std::vector<DueLeg> due = deciding_legs_due(sweep, trials, legs);
  return due.empty() ? repeats_due(sweep, trials, legs) : due;
}

}  // namespace regatta::analysis
