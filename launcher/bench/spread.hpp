// What rounds of one figure say together.
#pragma once

#include <algorithm>
#include <vector>

#include "regatta/stats/summaries.hpp"

namespace regatta::launcher {

struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
};

inline Spread spread_of(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return {stats::median(values), low, high};
}

}  // namespace regatta::launcher
