#include "regatta/stats/pilot.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// Half the distance of the r-th smallest and r-th largest of n standard normal values, about.
double expected_half_width(std::size_t n, std::size_t rank) {
  const boost::math::normal normal;
  const double share = (static_cast<double>(rank) - 0.375) / (static_cast<double>(n) + 0.25);  // Blom, 1958
  return boost::math::quantile(boost::math::complement(normal, share));
}

}  // namespace

double robust_spread(std::span<const double> values) {
  constexpr double of_normal = 1.3489795003921634;  // interquartile range of a standard normal
  if (values.size() < 2) return 0;
  const std::vector<double> copy(values.begin(), values.end());
  return (*quantile(copy, 0.75) - *quantile(copy, 0.25)) / of_normal;
}

std::size_t expected_units(double spread, double half_width, double alpha, std::size_t most) {
  for (std::size_t n = 1; n < most; ++n) {
    const std::size_t rank = sign_rank(n, alpha);
    if (rank > 0 && spread * expected_half_width(n, rank) <= half_width) return n;
  }
  return most;
}

PilotAdvice pilot_advice(std::span<const double> block_values, double delta, double alpha, double affordable,
                         bool carry_over) {
  PilotAdvice advice;
  const double spread = robust_spread(block_values);
  const double wanted = std::max(carry_over ? 2.0 : 1.0, spread > delta ? std::pow(spread / delta, 2) : 1.0);
  // Few units would do if their values were normal, but single ones are far off on a machine that others share, and an
  // interval from 7 units is their whole range; 32 hold it against 7 outliers at each end.
  const double longest = affordable / static_cast<double>(rules::kept_units);
  advice.factor = std::max(1.0, std::min(wanted, longest));
  advice.spread = spread / std::sqrt(advice.factor);
  const auto most = static_cast<std::size_t>(std::clamp(affordable / advice.factor, 0.0, 1000.0)) + 1;
  advice.units = expected_units(advice.spread, delta, alpha, most);
  return advice;
}

}  // namespace regatta::stats
