#include "regatta/stats/time_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "regatta/stats/confidence_sequence.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

std::vector<std::pair<double, double>> mean_of_each_length(std::span<const CallTime> calls) {
  std::map<double, std::pair<double, double>> sums;  // seconds and calls of each length
  for (const CallTime& call : calls) {
    auto& [seconds, count] = sums[call.steps];
    seconds += call.seconds;
    count += 1;
  }
  std::vector<std::pair<double, double>> means;
  for (const auto& [steps, sum] : sums) means.emplace_back(steps, sum.first / sum.second);
  return means;
}

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

std::optional<CallLengthFit> fit_call_lengths(std::span<const CallTime> calls) {
  const auto means = mean_of_each_length(calls);
  if (means.size() < rules::least_call_lengths) return std::nullopt;
  const RelativeLine line = relative_line(means);
  CallLengthFit fit;
  fit.lengths = means.size();
  fit.per_step_seconds = line.slope;
  fit.per_call_seconds = line.intercept;
  fit.residual = line.misfit;
  return fit;
}

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
