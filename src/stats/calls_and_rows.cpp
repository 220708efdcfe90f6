#include "regatta/stats/calls_and_rows.hpp"

#include <algorithm>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/summary.hpp"
#include "stats/relative_line.hpp"

namespace regatta::stats {
namespace {

bool tells_a_line(const BatchTimes& times) {
  const bool positive = std::ranges::all_of(times, [](const BatchTime& time) { return time.step_seconds > 0; });
  const auto differs = [&](const BatchTime& time) { return time.batch != times.front().batch; };
  return positive && std::ranges::any_of(times, differs);
}

RelativeLine line_of(const BatchTimes& times) {
  std::vector<std::pair<double, double>> points;
  for (const BatchTime& time : times) points.emplace_back(time.batch, time.step_seconds);
  return relative_line(points);
}

}  // namespace

std::optional<CallsAndRows> fit_calls_and_rows(std::span<const BatchTimes> lines, double alpha, double process_effect) {
  std::vector<double> calls;
  std::vector<double> rows;
  std::vector<double> misfits;
  for (const BatchTimes& times : lines) {
    if (!tells_a_line(times)) continue;
    const RelativeLine line = line_of(times);
    calls.push_back(line.intercept);
    rows.push_back(line.slope);
    misfits.push_back(line.misfit);
  }
  if (calls.empty()) return std::nullopt;
  CallsAndRows fit;
  fit.lines = calls.size();
  fit.calls_seconds.value = median(calls);
  fit.seconds_per_row = median(rows);
  fit.misfit = median(std::move(misfits));
  ConfidenceSequence sequence(alpha);
  const double widening = process_effect * std::max(0.0, fit.calls_seconds.value + fit.seconds_per_row);
  for (const double value : calls) sequence.add(value, widening);
  fit.calls_seconds.range = sequence.range();
  return fit;
}

}  // namespace regatta::stats
