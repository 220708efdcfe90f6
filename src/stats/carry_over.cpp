#include "regatta/stats/carry_over.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "regatta/stats/confidence_sequence.hpp"

namespace regatta::stats {

Range quarters_interval(std::span<const SliceValue> arm, double alpha) {
  std::vector<double> logs;
  logs.reserve(arm.size());
  for (const SliceValue& slice : arm) {
    if (slice.first_quarter > 0 && slice.last_quarter > 0) {
      logs.push_back(std::log(slice.first_quarter / slice.last_quarter));
    }
  }
  return sign_interval(std::move(logs), alpha);
}

bool carries_over(std::span<const SliceValue> arm, double delta, double alpha) {
  const Range range = quarters_interval(arm, alpha);
  return range.low > delta || range.high < -delta;
}

}  // namespace regatta::stats
