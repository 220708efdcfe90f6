#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "analysis/learning/learning.hpp"
#include "analysis/learning/scores.hpp"
#include "regatta/results/leg_values.hpp"
#include "regatta/search/verdict.hpp"

namespace regatta::analysis {
namespace {

using sweep::Purpose;

const std::string& engine_of(const results::TrialRow& trial) {
  return sweep::text_of(trial.parameters, sweep::Param::engine);
}

bool is_first_run(const sweep::Leg& leg) { return leg.purpose == Purpose::plain || leg.purpose == Purpose::fresh; }

/// Configurations that are judged, the best first.
std::vector<TrialIndex> ranked_trials(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                      const std::vector<results::LegRow>& legs) {
  std::vector<TrialIndex> ranked;
  if (!sweep.search) {
    for (const Ranked& row : ranked_plain(sweep, trials, legs)) ranked.push_back(row.trial);
    return ranked;
  }
  const SearchStand stand = search_stand(sweep, trials, legs);
  for (const search::Finalist& each : search::verdict(stand.problem, stand.runs).finalists)
    ranked.push_back(stand.trials.at(each.configuration));
  return ranked;
}

/// NaN stands for what is not finite, in whatever bits.
bool same_bits(double a, double b) {
  return (a != a && b != b) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same_evaluation(const sweep::CurvePoint& a, const sweep::CurvePoint& b) {
  return a.step == b.step && a.samples == b.samples && std::ranges::equal(a.values, b.values, same_bits);
}

/// A run that ends before the other one differs where the other one goes on.
std::optional<std::int64_t> first_difference(const sweep::Curve& a, const sweep::Curve& b) {
  const std::size_t both = std::min(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (a.metrics != b.metrics || !same_evaluation(a.points[i], b.points[i])) return a.points[i].samples;
  }
  if (a.points.size() == b.points.size()) return std::nullopt;
  return (a.points.size() > both ? a : b).points[both].samples;
}

/// "train_loss" where it is known, then any other loss.
std::string telling_metric(const sweep::Curve& curve) {
  const auto& metrics = curve.metrics;
  const auto is_loss = [](const std::string& metric) { return metric.find("loss") != std::string::npos; };
  const auto found = std::ranges::find_if(metrics, is_loss);
  if (std::ranges::find(metrics, sweep::train_loss) != metrics.end()) return sweep::train_loss;
  return found != metrics.end() ? *found : metrics.empty() ? std::string() : metrics.front();
}

Repeat compared(const results::TrialRow& trial, const results::LegRow& first, const results::LegRow& again) {
  Repeat repeat;
  repeat.engine = engine_of(trial);
  repeat.trial = again.trial;
  repeat.seed = again.leg.seed;
  const sweep::Curve& a = first.learned.curve;
  const sweep::Curve& b = again.learned.curve;
  repeat.failed = !std::holds_alternative<sweep::Finished>(again.outcome);
  repeat.evaluations = a.points.size();
  if (repeat.failed) return repeat;
  repeat.differs_from = first_difference(a, b);
  repeat.metric = telling_metric(a);
  if (!a.points.empty()) repeat.first = results::value_of(a, a.points.back().values, repeat.metric);
  if (!b.points.empty()) repeat.second = results::value_of(b, b.points.back().values, repeat.metric);
  return repeat;
}

}  // namespace

std::vector<DueLeg> repeats_due(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                const std::vector<results::LegRow>& legs) {
  std::set<std::string> engines, told;
  for (const auto& trial : trials) engines.insert(engine_of(trial));
  if (!sweep::wants_repeats(*sweep.training, sweep.search, trials.size(), engines.size())) return {};
  const std::int64_t seed = sweep::repeated_seed(sweep.search);
  std::set<TrialIndex> have_first;
  for (const auto& leg : legs) {
    if (leg.leg.purpose == Purpose::again) told.insert(engine_of(trials[leg.trial.value]));
    const bool has_curve = std::holds_alternative<sweep::Finished>(leg.outcome) && !leg.learned.curve.points.empty();
    if (is_first_run(leg.leg) && leg.leg.seed == seed && has_curve) have_first.insert(leg.trial);
  }
  std::vector<DueLeg> due;
  if (told.size() == engines.size()) return due;
  for (const TrialIndex trial : ranked_trials(sweep, trials, legs)) {
    if (have_first.contains(trial) && told.insert(engine_of(trials[trial.value])).second)
      due.push_back({trial, {Purpose::again, seed, 0, 0, 1}});
  }
  return due;
}

std::vector<Repeat> repeats_of(const std::vector<results::TrialRow>& trials, const std::vector<results::LegRow>& legs) {
  std::map<std::pair<TrialIndex, std::int64_t>, const results::LegRow*> first;
  for (const auto& leg : legs) {
    if (is_first_run(leg.leg)) first[{leg.trial, leg.leg.seed}] = &leg;
  }
  std::vector<Repeat> repeats;
  for (const auto& leg : legs) {
    if (leg.leg.purpose != Purpose::again) continue;
    const auto found = first.find({leg.trial, leg.leg.seed});
    if (found != first.end()) repeats.push_back(compared(trials[leg.trial.value], *found->second, leg));
  }
  std::ranges::stable_sort(repeats, {}, [](const Repeat& each) { return std::tuple(each.engine, each.trial); });
  return repeats;
}

}  // namespace regatta::analysis
