#include "regatta/stats/summaries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace regatta::stats {

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5).value_or(std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> quantile(std::vector<double> values, double q) {
  if (values.empty() || !(q >= 0 && q <= 1)) return std::nullopt;
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0) return *at;
  const double next = *std::min_element(at + 1, values.end());
  return *at + fraction * (next - *at);
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

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
