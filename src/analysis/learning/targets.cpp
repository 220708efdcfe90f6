#include "analysis/learning/targets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "regatta/results/leg_values.hpp"
#include "regatta/search/final_set.hpp"
#include "regatta/stats/rules.hpp"

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

/// The median; values may be infinite, and so may the ends.
stats::Estimate median_of(std::vector<double> values) {
  std::ranges::sort(values);
  stats::Estimate estimate{std::numeric_limits<double>::quiet_NaN(), {0, never}};
  if (values.empty()) return estimate;
  const double below = values[(values.size() - 1) / 2];
  const double above = values[values.size() / 2];
  estimate.value = below == above ? below : (below + above) / 2;  // two that are infinite have no difference
  const std::size_t rank = rank_for(values.size(), stats::rules::alpha);
  if (rank > 0) estimate.range = {values[rank - 1], values[values.size() - rank]};
  return estimate;
}

}  // namespace

std::optional<Arrival> arrival_of(const results::LegRow& leg, const sweep::Objective& objective) {
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
    return Arrival{static_cast<double>(point.samples), point.train_seconds,
                   point.train_seconds + point.evaluate_seconds};
  }
  return Arrival{never, never, never};
}

Target target_of(const Arrivals& arrivals) {
  Target target;
  std::vector<double> samples, training, all;
  for (const auto& [seed, arrival] : arrivals) {
    samples.push_back(arrival.samples);
    training.push_back(arrival.train_seconds);
    all.push_back(arrival.all_seconds);
    target.reached += std::isfinite(arrival.samples) ? 1 : 0;
  }
  target.runs = arrivals.size();
  target.ratio.value = std::numeric_limits<double>::quiet_NaN();
  target.samples = median_of(std::move(samples));
  target.train_seconds = median_of(std::move(training));
  target.all_seconds = median_of(std::move(all));
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
