#include "regatta/analysis/learning_curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

using sweep::Purpose;

/// Values and seconds of all runs after so many samples.
struct Evaluations {
  std::vector<double> values;
  std::vector<double> seconds;
};

std::size_t place_of(const sweep::Curve& curve, const std::string& metric) {
  return static_cast<std::size_t>(std::ranges::find(curve.metrics, metric) - curve.metrics.begin());
}

LearningCurve curve_of(const results::Results& results, TrialIndex trial, const std::string& metric) {
  LearningCurve curve{.trial = trial, .runs = 0, .stages = {}};
  std::map<std::int64_t, Evaluations> by_samples;
  for (const auto& leg : results.legs) {
    if (leg.trial != trial || (leg.leg.purpose != Purpose::fresh && leg.leg.purpose != Purpose::plain)) continue;
    const std::size_t place = place_of(leg.learned.curve, metric);
    ++curve.runs;
    for (const auto& point : leg.learned.curve.points) {
      if (place >= point.values.size() || !std::isfinite(point.values[place])) continue;
      by_samples[point.samples].values.push_back(point.values[place]);
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
    const std::size_t place = place_of(leg.learned.curve, learning.objective.metric);
    for (const auto& point : leg.learned.curve.points) {
      if (place >= point.values.size() || !std::isfinite(point.values[place])) continue;
      trace.points.emplace_back(point.samples, point.values[place]);
      trace.seconds.push_back(point.train_seconds);
    }
  }
  for (auto& [trial, trace] : traces) all.traces.push_back(std::move(trace));
  return all;
}

}  // namespace regatta::analysis
