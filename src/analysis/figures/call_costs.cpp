#include "regatta/analysis/call_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/analysis/explanations.hpp"
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

std::string share_text(const CallCost& cost, double batch) {
  const double share = cost.calls_seconds / (cost.calls_seconds + cost.seconds_per_row * batch);
  return fmt::format("{:.0f} %", 100 * share);
}

std::string sentence(const CallCost& cost, const stats::BatchTimes& times) {
  const CallsLine line{cost.calls_seconds, {}, {}, cost.seconds_per_row, cost.misfit, {}};
  std::string text =
      fmt::format("{}{}: a step = {}", cost.arm, cost.where.empty() ? "" : " " + cost.where, line_text(line));
  if (cost.misfit > stats::rules::most_misfit) return text;  // a and b of a bent line are no causes
  const double first = times.front().batch;
  const double last = times.back().batch;
  return text + fmt::format("; calls are {} of it at batch {:g}, {} at {:g}", share_text(cost, first), first,
                            share_text(cost, last), last);
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
      CallCost cost{curve.name, panel.name, fit->calls_seconds.value, fit->seconds_per_row, fit->misfit, {}};
      cost.text = sentence(cost, lines.front());
      found.push_back(std::move(cost));
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &CallCost::calls_seconds);
  return found;
}

}  // namespace regatta::analysis
