#include "regatta/analysis/learning_curves.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "regatta/results/leg_values.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

using sweep::Purpose;

/// Whether samples say how far a run is. A user's own loop may report steps without a batch: its samples stay 0.
bool counts_samples(const results::Results& results) {
  return std::ranges::none_of(results.legs, [](const results::LegRow& leg) {
    const auto& points = leg.learned.curve.points;
    return points.size() > 1 && points.front().samples == points.back().samples &&
           points.front().step != points.back().step;
  });
}

std::int64_t progress_of(const sweep::CurvePoint& point, bool by_samples) {
  return by_samples ? point.samples : point.step;
}

/// Values and seconds of all runs after so many samples or steps.
struct Evaluations {
  std::vector<double> values;
  std::vector<double> seconds;
};

LearningCurve curve_of(const results::Results& results, TrialIndex trial, const std::string& metric, bool by_samples) {
  LearningCurve curve{.trial = trial, .runs = 0, .stages = {}};
  std::map<std::int64_t, Evaluations> by_progress;
  for (const auto& leg : results.legs) {
    if (leg.trial != trial || (leg.leg.purpose != Purpose::fresh && leg.leg.purpose != Purpose::plain)) continue;
    ++curve.runs;
    for (const auto& point : leg.learned.curve.points) {
      const double value = results::value_of(leg.learned.curve, point.values, metric);
      if (!std::isfinite(value)) continue;
      Evaluations& evaluations = by_progress[progress_of(point, by_samples)];
      evaluations.values.push_back(value);
      evaluations.seconds.push_back(point.train_seconds);
    }
  }
  for (const auto& [progress, all] : by_progress) {
    const auto [low, high] = std::ranges::minmax(all.values);
    curve.stages.push_back({progress, stats::median(all.seconds), stats::median(all.values), low, high});
  }
  return curve;
}

}  // namespace

LearningCurves learning_curves(const results::Results& results, const Learning& learning, std::size_t most) {
  LearningCurves all{.by_samples = counts_samples(results), .curves = {}, .traces = {}};
  for (const Ranked& row : learning.ranking) {
    if (all.curves.size() == most) break;
    LearningCurve curve = curve_of(results, row.trial, learning.objective.metric, all.by_samples);
    if (!curve.stages.empty()) all.curves.push_back(std::move(curve));
  }
  std::map<TrialIndex, SearchTrace> traces;
  std::map<TrialIndex, std::size_t> trained_on;  // legs of stopped trials after this rung are no part of their way
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
      trace.points.emplace_back(progress_of(point, all.by_samples), value);
      trace.seconds.push_back(point.train_seconds);
    }
  }
  for (auto& [trial, trace] : traces) all.traces.push_back(std::move(trace));
  return all;
}

}  // namespace regatta::analysis
