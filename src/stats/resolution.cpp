#include "regatta/stats/resolution.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "regatta/stats/confidence_sequence.hpp"

namespace regatta::stats {
namespace {

constexpr std::size_t most_pairs = 200;  // nobody waits for more
constexpr double least_target = 0.02;
constexpr double largest_difference = 1000;  // no resolution is worse than that: nothing is known

/// Typical variance of one pair: the geometric mean over what is left of the spreads.
double pair_variance(const PairMoments& pairs, const SpreadPrior& prior) {
  OfSpreads logs, variances;
  for (std::size_t k = 0; k < spread_levels.size(); ++k) {
    variances[k] = spread_levels[k] * spread_levels[k] + pairs.within_variance;
    logs[k] = std::log(std::max(prior.weights[k], 1e-300)) - (pairs.n - 1) / 2 * std::log(variances[k]) -
              pairs.sum_squares / (2 * variances[k]);
  }
  const double largest = *std::ranges::max_element(logs);
  double sum = 0, log_variance = 0;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const double weight = std::exp(logs[k] - largest);
    sum += weight;
    log_variance += weight * std::log(variances[k]);
  }
  return std::exp(log_variance / sum);
}

/// Half the distance of the r-th smallest and r-th largest of n standard normal values, about.
double expected_sign_half(std::size_t n, std::size_t rank) {
  const boost::math::normal normal;
  const double share = (static_cast<double>(rank) - 0.375) / (static_cast<double>(n) + 0.25);  // Blom, 1958
  return boost::math::quantile(boost::math::complement(normal, share));
}

/// Half width of the interval that so many pairs of this variance are expected to give: that of the bet on spreads, or
/// that of signs where it is narrower.
double expected_half(std::size_t n, double variance, const PairMoments& seen, const JudgeOptions& options,
                     double threshold) {
  const auto count = static_cast<double>(n);
  const PairMoments pairs{count, 0, (count - 1) * variance, seen.within_variance};
  double half = spread_radius(pairs, std::log(2 * threshold), options.prior);
  if (const std::size_t rank = sign_rank(n, 1 / (2 * threshold)); rank > 0)
    half = std::min(half, std::sqrt(variance) * expected_sign_half(n, rank));
  return half;
}

}  // namespace

double resolution_of(const Known& known, const JudgeOptions& options, double needed_evidence) {
  const Range& range = known.range;
  if (!range.finite() || range.empty()) return std::numeric_limits<double>::infinity();
  const double delta = indifference(options);
  const double misfit = options.call_length_misfit > delta ? options.call_length_misfit : 0;
  double half = std::max(range.high - known.estimate, known.estimate - range.low);
  if (needed_evidence > 1 / options.alpha)
    half = std::max(half, std::min(spread_radius(known.pairs, std::log(2 * needed_evidence), options.prior),
                                   std::log(largest_difference)));
  return std::expm1(delta + misfit + half);
}

std::optional<std::size_t> pairs_for(double target, const Known& known, const JudgeOptions& options,
                                     double needed_evidence) {
  const double wanted = std::log1p(target) - indifference(options) - options.call_length_misfit;
  if (wanted <= 0 || known.pairs.n < 1) return std::nullopt;
  const double variance = pair_variance(known.pairs, options.prior);
  const double threshold = std::max(1 / options.alpha, needed_evidence);
  for (auto n = static_cast<std::size_t>(known.pairs.n); n <= most_pairs; ++n)
    if (n >= rules::fewest_process_pairs && expected_half(n, variance, known.pairs, options, threshold) <= wanted)
      return n;
  return std::nullopt;
}

double usual_target(const JudgeOptions& options) { return std::max(2 * options.margin, least_target); }

}  // namespace regatta::stats
