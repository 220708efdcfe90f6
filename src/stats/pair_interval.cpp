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
constexpr int most_steps = 60;
constexpr double log_accuracy = 1e-3;
constexpr double least_radius = 1e-4;   // log
constexpr double most_radius = 20;      // log
constexpr double threshold_step = .05;  // thresholds are rounded up to a grid, so that few radii are worked out
constexpr double least_threshold = 1e-3;

constexpr double none = -std::numeric_limits<double>::infinity();

/// The terms that do not depend on the log ratio that is asked about, by spread.
struct Shared {
  OfSpreads variances_of_mean;
  OfSpreads logs;  ///< logs of weights and of the scatter of pairs
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

/// A sum of normal densities at one distance, but for a constant, and what it changes by.
struct Densities {
  double sum = 0;      ///< sum of exp(log density - largest)
  double falling = 0;  ///< the same times 1 / (2 variance): minus the derivative by the squared distance
  double largest = none;

  void add(double log_weight, double squared, double variance) {
    const double log_density = log_weight - .5 * std::log(variance) - squared / (2 * variance);
    if (log_density > largest) {
      const double scale = std::exp(largest - log_density);
      sum *= scale;
      falling *= scale;
      largest = log_density;
    }
    const double density = std::exp(log_density - largest);
    sum += density;
    falling += density / (2 * variance);
  }
};

/// A log e-value, and its derivative by the squared distance from the mean.
struct LogEValue {
  double value = 0;
  double slope = 0;
};

LogEValue log_e_value(const Shared& shared, double squared) {
  constexpr double negligible = 60;  // a spread whose log weight is so much smaller changes nothing
  const double least = *std::ranges::max_element(shared.logs) - negligible;
  Densities top, bottom;
  for (std::size_t k = 0; k < spread_levels.size(); ++k) {
    if (shared.logs[k] < least) continue;
    bottom.add(shared.logs[k], squared, shared.variances_of_mean[k]);
    for (const double scale : effect_scales)
      top.add(shared.logs[k], squared, shared.variances_of_mean[k] + scale * scale);
  }
  const double log_effects = std::log(static_cast<double>(effect_scales.size()));
  return {top.largest + std::log(top.sum) - log_effects - bottom.largest - std::log(bottom.sum),
          bottom.falling / bottom.sum - top.falling / top.sum};
}

/// Newton's steps in the logarithm of the radius, inside of what is known to hold it.
double radius(const Shared& shared, double log_threshold) {
  double low = std::log(least_radius), high = std::log(most_radius);
  const double typical = *std::ranges::min_element(shared.variances_of_mean);
  double at = std::clamp(std::log(5 * std::sqrt(typical)), low, high);
  for (int i = 0; i < most_steps && high - low > log_accuracy; ++i) {
    const double squared = std::exp(2 * at);
    const LogEValue found = log_e_value(shared, squared);
    (found.value >= log_threshold ? high : low) = at;
    const double step = (log_threshold - found.value) / std::max(2 * squared * found.slope, 1e-9);
    const double next = at + step + (step > 0 ? log_accuracy / 4 : -log_accuracy / 4);
    at = next > low && next < high ? next : (low + high) / 2;
  }
  return std::exp(high);
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
  return log_e_value(shared_of(pairs, prior), (pairs.mean - theta) * (pairs.mean - theta)).value;
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
