#include "analysis/learning/scores.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/results/leg_values.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

/// Pearson's.
std::optional<double> correlation_of(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 3) return std::nullopt;
  const double mean_x = *stats::mean(x);
  const double mean_y = *stats::mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(xx > 0) || !(yy > 0)) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace

std::optional<double> score_of(const results::LegRow& leg, const sweep::Objective& objective) {
  const sweep::Learned& learned = leg.learned;
  if (!std::holds_alternative<sweep::Finished>(leg.outcome) || learned.end == sweep::LegEnd::diverged)
    return std::nullopt;
  const double best = results::value_of(learned.curve, learned.best, objective.metric);
  return std::isfinite(best) ? std::optional(best) : std::nullopt;
}

std::optional<double> test_of(const results::LegRow& leg, const sweep::Objective& objective) {
  return objective.metric == sweep::validation_loss ? leg.learned.test_loss : leg.learned.test_accuracy;
}

double trained_part_of(const results::LegRow& leg, const sweep::Training& training) {
  const sweep::Learned& learned = leg.learned;
  const double asked = leg.leg.to - leg.leg.from;
  if (!std::holds_alternative<sweep::Finished>(leg.outcome)) return 0;
  if (learned.end == sweep::LegEnd::reached) return asked;
  if (learned.curve.points.empty()) return 0;
  const sweep::CurvePoint& last = learned.curve.points.back();
  const double batch = static_cast<double>(last.samples) / static_cast<double>(std::max<std::int64_t>(last.step, 1));
  const double of_epochs = training.epochs.value_or(1) * static_cast<double>(learned.training_samples);
  const double horizon = training.steps ? static_cast<double>(*training.steps) * batch : of_epochs;
  if (!(horizon > 0)) return asked;
  return std::clamp(static_cast<double>(last.samples) / horizon - leg.leg.from, 0.0, asked);
}

search::Figure figure_of(const std::map<std::int64_t, double>& by_seed) {
  search::Figure figure;
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed) {
    figure.by_seed.push_back({seed, value});
    values.push_back(value);
  }
  figure.mean = stats::student_mean(values);
  return figure;
}

Paired paired(const search::Figure& first, const search::Figure& second, double alpha) {
  std::vector<double> firsts, seconds, differences;
  for (const auto& [seed, value] : first.by_seed) {
    const auto found = std::ranges::find(second.by_seed, seed, &search::SeedValue::seed);
    if (found == second.by_seed.end()) continue;
    firsts.push_back(value);
    seconds.push_back(found->value);
    differences.push_back(value - found->value);
  }
  return {stats::student_mean(differences, alpha), differences.size(), correlation_of(firsts, seconds)};
}

}  // namespace regatta::analysis
