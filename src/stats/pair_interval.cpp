#include "regatta/stats/pair_interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {
namespace {

/// The effect is mixed over normal distributions about the hypothesis of these standard deviations, with equal weights.
constexpr std::array effect_scales = {.01, .03, .1, .3, 1.0};
constexpr int halvings = 14;            // from 20 down to 1e-4, to 0.1 %
constexpr double least_radius = 1e-4;   // log
constexpr double most_radius = 20;      // log
constexpr double threshold_step = .05;  // thresholds are rounded up to a grid, so that few radii are worked out
constexpr double least_threshold = 1e-3;

constexpr double none = -std::numeric_limits<double>::infinity();

/// log of the sum of exp(values).
double log_sum(std::span<const double> values) {
  const double largest = *std::ranges::max_element(values);
  if (largest == none) return none;
  double sum = 0;
  for (const double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

/// What does not depend on the log ratio that is asked about, by spread.
struct Shared {
  OfSpreads variances_of_mean;
  OfSpreads logs;  ///< of weights and of the scatter of pairs
};

Shared shared_of(const PairMoments& pairs, const SpreadPrior& prior) {
  Shared shared;
  for (std::size_t k = 0; k < spread_levels.size(); ++k) {
    const double variance = spread_levels[k] * spread_levels[k] + pairs.within_variance;
    shared.variances_of_mean[k] = variance / pairs.n;
    shared.logs[k] = prior.weights[k] > 0 ? std::log(prior.weights[k]) - (pairs.n - 1) / 2 * std::log(variance) -
                                                pairs.sum_squares / (2 * variance)
                                          : none;
  }
  return shared;
}

/// Of a normal density, but for a constant.
double log_density(double squared, double variance) { return -.5 * std::log(variance) - squared / (2 * variance); }

double log_e_value(const Shared& shared, double squared) {
  std::array<double, spread_levels.size() * effect_scales.size()> top;
  OfSpreads bottom;
  auto next = top.begin();
  for (std::size_t k = 0; k < spread_levels.size(); ++k) {
    bottom[k] = shared.logs[k] + log_density(squared, shared.variances_of_mean[k]);
    for (const double scale : effect_scales)
      *next++ = shared.logs[k] + log_density(squared, shared.variances_of_mean[k] + scale * scale);
  }
  return log_sum(top) - std::log(static_cast<double>(effect_scales.size())) - log_sum(bottom);
}

double radius(const Shared& shared, double log_threshold) {
  double low = least_radius, high = most_radius;
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::sqrt(low * high);
    (log_e_value(shared, middle * middle) >= log_threshold ? high : low) = middle;
  }
  return high;
}

/// The e-value that both bets together may still have from the first one, where signs have `of_signs`: 2 / alpha less
/// that, rounded up to the grid. Nothing where signs alone are enough.
std::optional<double> log_threshold_beside(double of_signs, double alpha) {
  const double left = 2 / alpha - of_signs;
  if (left <= least_threshold) return std::nullopt;
  return threshold_step * std::ceil(std::log(left) / threshold_step);
}

}  // namespace

PairMoments moments_of(std::span<const double> values, double within_variance) {
  PairMoments pairs{.n = static_cast<double>(values.size()), .within_variance = within_variance};
  pairs.mean = std::accumulate(values.begin(), values.end(), 0.0) / pairs.n;
  for (const double value : values) pairs.sum_squares += (value - pairs.mean) * (value - pairs.mean);
  return pairs;
}

double log_spread_e_value(const PairMoments& pairs, double theta, const SpreadPrior& prior) {
  return log_e_value(shared_of(pairs, prior), (pairs.mean - theta) * (pairs.mean - theta));
}

double spread_radius(const PairMoments& pairs, double log_threshold, const SpreadPrior& prior) {
  return radius(shared_of(pairs, prior), log_threshold);
}

Range pairs_interval(std::span<const double> sorted, const PairMoments& pairs, const SpreadPrior& prior, double alpha) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Range hull{infinity, -infinity};
  const Shared shared = shared_of(pairs, prior);
  double known_threshold = infinity, known_radius = 0;
  for (std::size_t below = 0; below <= sorted.size(); ++below) {  // signs say the same between two neighbours
    const auto threshold = log_threshold_beside(sign_e_value(below, sorted.size()), alpha);
    if (!threshold) continue;
    if (*threshold != known_threshold) {
      known_threshold = *threshold;
      known_radius = radius(shared, known_threshold);
    }
    const double from = below == 0 ? -infinity : sorted[below - 1];
    const double to = below == sorted.size() ? infinity : sorted[below];
    const double low = std::max(from, pairs.mean - known_radius);
    const double high = std::min(to, pairs.mean + known_radius);
    if (low > high) continue;
    hull = {std::min(hull.low, low), std::max(hull.high, high)};
  }
  return hull;
}

double pairs_evidence_outside(std::span<const double> values, const PairMoments& pairs, const SpreadPrior& prior,
                              Range range) {
  if (values.empty()) return 1;
  constexpr double largest_log = 700;  // exp of more is infinite
  const double nearest = std::clamp(pairs.mean, range.low, range.high);
  const double of_spreads = std::exp(std::min(largest_log, log_spread_e_value(pairs, nearest, prior)));
  return (of_spreads + e_value_outside(values, range)) / 2;
}

void PairSequence::add(double value, double within_variance) {
  signs_.add(value);
  const double n = moments_.n + 1;
  const double off = value - moments_.mean;
  moments_.mean += off / n;
  moments_.sum_squares += off * (value - moments_.mean);
  moments_.n = n;
  moments_.within_variance = within_variance;
  latest_ = pairs_interval(signs_.sorted(), moments_, prior_, alpha_);
  intersection_ = {std::max(intersection_.low, latest_.low), std::min(intersection_.high, latest_.high)};
}

}  // namespace regatta::stats
