#include "regatta/analysis/call_costs.hpp"

#include <algorithm>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/time_lines.hpp"

namespace regatta::analysis {
namespace {

/// Seconds of a whole step at each batch.
stats::BatchTimes step_times(const Curve& curve, bool per_sample) {
  stats::BatchTimes times;
  for (const auto& [batch, seconds] : curve.seconds) times.push_back({batch, seconds * (per_sample ? batch : 1)});
  return times;
}

}  // namespace

std::vector<CallCost> call_costs(const Growth& growth) {
  std::vector<CallCost> found;
  if (growth.axis != sweep::Param::batch) return found;
  for (const Panel& panel : growth.panels) {
    for (const Curve& curve : panel.curves) {
      if (curve.seconds.size() < stats::rules::fewest_batches) continue;
      const std::vector<stats::BatchTimes> lines = {step_times(curve, growth.per_sample)};
      const auto fit = stats::fit_calls_and_rows(lines, stats::rules::alpha, 0);
      if (!fit || !(fit->calls_seconds.value > 0) || !(fit->seconds_per_row > 0)) continue;
      found.push_back({curve.name, panel.name, fit->calls_seconds.value, fit->seconds_per_row, fit->misfit,
                       lines.front().front().batch, lines.front().back().batch});
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &CallCost::calls_seconds);
  return found;
}

}  // namespace regatta::analysis
