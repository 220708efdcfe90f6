#include "regatta/analysis/learning_curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "regatta/results/leg_values.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

using sweep::Purpose;

/// Values and seconds of all runs after so many samples.
struct Evaluations {
  std::vector<double> values;
  std::vector<double> seconds;
};

LearningCurve curve_of(const results::Results& results, TrialIndex trial, const std::string& metric) {
  LearningCurve curve{.trial = trial, .runs = 0, .stages = {}};
  std::map<std::int64_t, Evaluations> by_samples;
  for (const auto& leg : results.legs) {
    if (leg.trial != trial || (leg.leg.purpose != Purpose::fresh && leg.leg.purpose != Purpose::plain)) continue;
    ++curve.runs;
    for (const auto& point : leg.learned.curve.points) {
      const double value = results::value_of(leg.learned.curve, point.values, metric);
      if (!std::isfinite(value)) continue;
      by_samples[point.samples].values.push_back(value);
      by_samples[point.samples].seconds.push_back(point.train_seconds);
    }
  }
  for (const auto& [samples, all] : by_samples) {
    const auto [low, high] = std::ranges::minmax(all.values);
    curve.stages.push_back({samples, stats::median(all.seconds), stats::median(all.values), low, high});
  }
  return curve;
}

}  // namespace

LearningCurves learning_curves(const results::Results& results, const Learning& learning, std::size_t most) {
  LearningCurves all;
  for (const Ranked& row : learning.ranking) {
    if (all.curves.size() == most) break;
    LearningCurve curve = curve_of(results, row.trial, learning.objective.metric);
    if (!curve.stages.empty()) all.curves.push_back(std::move(curve));
  }
  std::map<TrialIndex, SearchTrace> traces;
  std::map<TrialIndex, std::size_t> trained_on;  // what was trained though it had been stopped is no part of its way
  for (const StoppedTrial& each : learning.stopped) {
    if (each.trained_on) trained_on[each.trial] = each.after_rung;
  }
  for (const auto& leg : results.legs) {  // by trial, then seed, then where they begin
    const auto stopped = trained_on.find(leg.trial);
    if (leg.leg.purpose != Purpose::search || (stopped != trained_on.end() && leg.leg.rung > stopped->second)) continue;
    SearchTrace& trace = traces[leg.trial];
    trace.trial = leg.trial;
    for (const auto& point : leg.learned.curve.points) {
      const double value = results::value_of(leg.learned.curve, point.values, learning.objective.metric);
      if (!std::isfinite(value)) continue;
      trace.points.emplace_back(point.samples, value);
      trace.seconds.push_back(point.train_seconds);
    }
  }
  for (auto& [trial, trace] : traces) all.traces.push_back(std::move(trace));
  return all;
}

}  // namespace regatta::analysis
