// A closed interval, and an estimate with its interval.
#pragma once

#include <limits>

namespace regatta::stats {

/// Infinite ends: nothing is known on that side; low > high: empty.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool empty() const { return low > high; }
  [[nodiscard]] bool finite() const {
    return low > -std::numeric_limits<double>::infinity() && high < std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
  friend bool operator==(const Range&, const Range&) = default;
};

struct Estimate {
  double value = 0;
  Range range;
};

}  // namespace regatta::stats
