#include "analysis/learning/targets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "regatta/results/leg_values.hpp"
#include "regatta/search/final_set.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// The largest rank whose order statistics from both ends hold the median with 1 - alpha (a sign test turned round);
/// 0: too few values.
std::size_t rank_for(std::size_t count, double alpha) {
  std::size_t rank = 0;
  while (rank < count && search::chance_of_heads(count - rank, count) <= alpha / 2) ++rank;
  return rank;
}

/// The median; values may be infinite, and so may the ends. Nothing is said where one is not known.
stats::Estimate median_of(std::vector<double> values) {
  stats::Estimate estimate{std::numeric_limits<double>::quiet_NaN(), {0, never}};
  const bool is_unknown = std::ranges::any_of(values, [](double value) { return std::isnan(value); });
  if (values.empty() || is_unknown) return estimate;
  std::ranges::sort(values);
  const double below = values[(values.size() - 1) / 2];
  const double above = values[values.size() / 2];
  estimate.value = below == above ? below : (below + above) / 2;  // two that are infinite have no difference
  const std::size_t rank = rank_for(values.size(), stats::rules::alpha);
  if (rank > 0) estimate.range = {values[rank - 1], values[values.size() - rank]};
  return estimate;
}

}  // namespace

std::optional<Arrival> arrival_of(const results::LegRow& leg, const sweep::Objective& objective, double cold_start) {
  if (!objective.target) return std::nullopt;
  const sweep::Curve& curve = leg.learned.curve;
  const auto holds = [&](const sweep::CurvePoint& point) {
    const double value = results::value_of(curve, point.values, objective.metric);
    if (!std::isfinite(value)) return false;
    return objective.maximizes ? value >= *objective.target : value <= *objective.target;
  };
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
    const sweep::CurvePoint& point = curve.points[i];
    if (!holds(point) || !holds(curve.points[i + 1])) continue;
    const double all_seconds = point.train_seconds + point.evaluate_seconds;
    return Arrival{static_cast<double>(point.samples), point.train_seconds, all_seconds,
                   cold_start + leg.learned.prepare_seconds + all_seconds};
  }
  return Arrival{never, never, never, std::isnan(cold_start) ? cold_start : never};
}

std::vector<ColdStart> cold_starts_of(const std::vector<results::TrialRow>& trials,
                                      const std::vector<results::LegRow>& legs) {
  // A process says the same of itself for each of its legs; no two of a slot say the same to a nanosecond.
  std::map<std::string, std::set<std::pair<std::int32_t, double>>> processes;
  for (const auto& leg : legs) {
    if (leg.learned.start_seconds > 0)
      processes[sweep::text_of(trials[leg.trial.value].parameters, sweep::Param::engine)].emplace(
          leg.device, leg.learned.start_seconds);
  }
  std::vector<ColdStart> starts;
  for (const auto& [engine, all] : processes) {
    std::vector<double> seconds;
    for (const auto& process : all) seconds.push_back(process.second);
    starts.push_back({engine, stats::median(seconds), seconds.size()});
  }
  return starts;
}

double cold_start_of(const std::vector<ColdStart>& starts, const std::string& engine) {
  const auto found = std::ranges::find(starts, engine, &ColdStart::engine);
  return found == starts.end() ? std::numeric_limits<double>::quiet_NaN() : found->seconds;
}

Target target_of(const Arrivals& arrivals) {
  Target target;
  std::vector<double> samples, training, all, with_start;
  for (const auto& [seed, arrival] : arrivals) {
    samples.push_back(arrival.samples);
    training.push_back(arrival.train_seconds);
    all.push_back(arrival.all_seconds);
    with_start.push_back(arrival.with_start);
    target.reached += std::isfinite(arrival.samples) ? 1 : 0;
  }
  target.runs = arrivals.size();
  target.ratio.value = std::numeric_limits<double>::quiet_NaN();
  target.samples = median_of(std::move(samples));
  target.train_seconds = median_of(std::move(training));
  target.all_seconds = median_of(std::move(all));
  target.with_start = median_of(std::move(with_start));
  return target;
}

stats::Estimate ratio_to_leader(const Arrivals& leader, const Arrivals& row) {
  std::vector<double> ratios;
  for (const auto& [seed, arrival] : row) {
    const auto other = leader.find(seed);
    if (other == leader.end()) continue;
    const double ratio = arrival.train_seconds / other->second.train_seconds;
    if (!std::isnan(ratio)) ratios.push_back(ratio);
  }
  return median_of(std::move(ratios));
}

}  // namespace regatta::analysis
