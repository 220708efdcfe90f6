#include "regatta/stats/break_even.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

Estimate difference(const Estimate& a, const Estimate& b) {
  return {a.value - b.value, {a.range.low - b.range.high, a.range.high - b.range.low}};
}

double steps_to_pay(double cost, double saving) {
  if (cost <= 0) return 0;
  return saving > 0 ? cost / saving : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<Estimate> cold_start(std::span<const double> seconds, double alpha) {
  const std::vector<double> values(seconds.begin(), seconds.end());
  const Range range = sign_interval(values, alpha);
  if (!range.finite()) return std::nullopt;
  return Estimate{median(values), range};
}

BreakEven break_even(const Estimate& cold_a, const Estimate& cold_b, const Estimate& step_a, const Estimate& step_b) {
  const Estimate cost = difference(cold_a, cold_b);
  const Estimate saving = difference(step_b, step_a);
  BreakEven result;
  result.never = saving.value <= 0;
  result.from_start = !result.never && cost.value <= 0;
  result.steps.value = steps_to_pay(cost.value, saving.value);
  result.steps.range = {steps_to_pay(cost.range.low, saving.range.high),
                        steps_to_pay(cost.range.high, saving.range.low)};
  return result;
}

}  // namespace regatta::stats
