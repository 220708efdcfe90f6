#include "regatta/stats/summaries.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace regatta::stats {

double covered_seconds(std::vector<std::pair<double, double>> spans) {
  std::ranges::sort(spans);
  double seconds = 0;
  double until = 0;
  for (const auto& [start, end] : spans) {
    seconds += std::max(0.0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return seconds;
}

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

double student_half_width(double degrees_of_freedom, double alpha) {
  if (!(degrees_of_freedom > 0)) return std::numeric_limits<double>::infinity();
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees_of_freedom), alpha / 2));
}

Estimate student_mean(std::span<const double> values, double alpha) {
  const auto center = mean({values.begin(), values.end()});
  if (!center) return {std::numeric_limits<double>::quiet_NaN(), {}};
  if (values.size() < 2) return {*center, {}};
  double squares = 0;
  for (const double value : values) squares += (value - *center) * (value - *center);
  const auto count = static_cast<double>(values.size());
  const double half_width = student_half_width(count - 1, alpha) * std::sqrt(squares / (count - 1) / count);
  return {*center, {*center - half_width, *center + half_width}};
}

double robust_spread(std::span<const double> values) {
  constexpr double of_normal = 1.3489795003921634;  // interquartile range of a standard normal
  if (values.size() < 2) return 0;
  const std::vector<double> copy(values.begin(), values.end());
  return (*quantile(copy, 0.75) - *quantile(copy, 0.25)) / of_normal;
}

}  // namespace regatta::stats
