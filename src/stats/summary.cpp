#include "regatta/stats/summary.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
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

std::optional<double> variance(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double centre = *mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return squares / static_cast<double>(values.size() - 1);
}

std::optional<Interval> mean_interval(const std::vector<double>& values, double confidence) {
  const auto spread = variance(values);
  const bool finite = std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (!spread || !finite || !(confidence > 0 && confidence < 1)) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  const boost::math::students_t distribution(n - 1);
  const double t = boost::math::quantile(boost::math::complement(distribution, (1 - confidence) / 2));
  const double half_width = t * std::sqrt(*spread / n);
  const double centre = *mean(values);
  return Interval{centre - half_width, centre, centre + half_width, values.size()};
}

}  // namespace regatta::stats
