// Values of a leg by the names of their metrics.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "regatta/sweep/training.hpp"

namespace regatta::results {

/// The metric's value among `values` (a point's, or the best), which stand as the curve's metrics do; NaN if it has
/// none of it.
inline double value_of(const sweep::Curve& curve, const std::vector<double>& values, std::string_view metric) {
  const auto found = std::ranges::find(curve.metrics, metric);
  const auto at = static_cast<std::size_t>(found - curve.metrics.begin());
  return at < values.size() ? values[at] : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace regatta::results
