#include "regatta/stats/pilot.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {

double robust_spread(std::span<const double> values) {
  constexpr double of_normal = 1.3489795003921634;  // interquartile range of a standard normal
  if (values.size() < 2) return 0;
  const std::vector<double> copy(values.begin(), values.end());
  return (*quantile(copy, 0.75) - *quantile(copy, 0.25)) / of_normal;
}

double slice_factor(std::span<const double> log_ratios, double delta, double affordable, bool carry_over) {
  const double spread = robust_spread(log_ratios);
  const double wanted = std::max(carry_over ? 2.0 : 1.0, spread > delta ? std::pow(spread / delta, 2) : 1.0);
  const double longest = affordable / static_cast<double>(rules::kept_squares);
  return std::max(1.0, std::min(wanted, longest));
}

}  // namespace regatta::stats
