#include "stats/relative_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace regatta::stats {

RelativeLine relative_line(std::span<const std::pair<double, double>> points) {
  double sw = 0;  // weighted sums with w = 1 / seconds^2
  double sx = 0;
  double sxx = 0;
  double st = 0;
  double sxt = 0;
  for (const auto& [x, seconds] : points) {
    const double w = 1 / (seconds * seconds);
    sw += w;
    sx += w * x;
    sxx += w * x * x;
    st += w * seconds;
    sxt += w * x * seconds;
  }
  RelativeLine line;
  line.slope = (sw * sxt - sx * st) / (sw * sxx - sx * sx);
  line.intercept = (st - line.slope * sx) / sw;
  for (const auto& [x, seconds] : points) {
    const double fitted = line.intercept + line.slope * x;
    const double error = fitted > 0 ? std::abs(std::log(seconds / fitted)) : std::numeric_limits<double>::infinity();
    line.misfit = std::max(line.misfit, error);
  }
  return line;
}

}  // namespace regatta::stats
