#include "regatta/stats/pooled.hpp"

#include <cmath>

namespace regatta::stats {

Estimate pooled(std::span<const Estimate> strata) {
  double sum = 0;
  double squares = 0;
  for (const Estimate& each : strata) {
    const double half_width = (each.range.high - each.range.low) / 2;
    sum += each.value;
    squares += half_width * half_width;
  }
  const auto count = static_cast<double>(strata.size());
  const double mean = sum / count;  // NaN for none
  const double half_width = std::sqrt(squares) / count;
  return {mean, {mean - half_width, mean + half_width}};
}

}  // namespace regatta::stats
