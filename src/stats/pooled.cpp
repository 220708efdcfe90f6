#include "regatta/stats/pooled.hpp"

#include <algorithm>
#include <cmath>

namespace regatta::stats {
namespace {

double half_width(const Estimate& estimate) { return (estimate.range.high - estimate.range.low) / 2; }

}  // namespace

Estimate pooled(std::span<const Estimate> strata, Weights weights) {
  const bool by_variance = weights == Weights::inverse_variance;
  const bool some_exact = std::ranges::any_of(strata, [](const auto& each) { return half_width(each) == 0; });
  double total = 0;
  double sum = 0;
  double variance = 0;
  for (const Estimate& each : strata) {
    const double half = half_width(each);
    double weight = 1;
    if (by_variance) weight = some_exact ? (half == 0 ? 1 : 0) : 1 / (half * half);
    total += weight;
    sum += weight * each.value;
    variance += weight * weight * half * half;
  }
  const double mean = sum / total;  // NaN for none
  const double half = std::sqrt(variance) / total;
  return {mean, {mean - half, mean + half}};
}

}  // namespace regatta::stats
