#include "results/collect/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/sweep/facts.hpp"

namespace regatta::results {
namespace {

double seconds_per_step(const stats::Sample& sample) { return sample.seconds / sample.steps; }

std::vector<stats::Sample> of_phase(std::span<const stats::Sample> samples, stats::Phase phase) {
  std::vector<stats::Sample> chosen;
  for (const stats::Sample& sample : samples) {
    // A worker that stamps nonsense gets no number; its samples stay in the file.
    if (sample.phase == phase && sample.steps > 0 && std::isfinite(sample.seconds)) chosen.push_back(sample);
  }
  return chosen;
}

}  // namespace

const std::vector<MetricInfo>& metric_table() {
  static const std::vector<MetricInfo> table = [] {
    std::vector<MetricInfo> rows = {
        {"step_time", "s", "time of one step: median over slices of elapsed time / steps"},
        {"step_time_mean", "s", "time of one step: total time of the steady samples / their steps"},
        {"step_time_p95", "s", "time that 95 % of the steady steps do not exceed, as stamped"},
        {"samples_per_second", "s-1", "batch / step_time_mean"},
        {"first_step", "s", "time of the first step after preparing"},
    };
    for (const sweep::FactInfo& fact : sweep::fact_table) {
      if (!sweep::is_text(fact) && !fact.column.empty()) rows.push_back({fact.column, fact.unit, fact.description});
    }
    rows.push_back({"n", "1", "number of steady samples"});
    return rows;
  }();
  return table;
}

double step_quantile(std::span<const stats::Sample> steady, double q) {
  expect(!steady.empty(), "a quantile needs at least one sample");
  std::vector<std::pair<double, double>> steps;  // seconds per step, number of steps
  double total = 0;
  for (const stats::Sample& sample : steady) {
    steps.emplace_back(seconds_per_step(sample), sample.steps);
    total += sample.steps;
  }
  std::ranges::sort(steps);
  double below = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    below += steps[i].second;
    if (below > q * total) return steps[i].first;
    if (below == q * total) return (steps[i].first + steps[i + 1].first) / 2;
  }
  return steps.back().first;
}

double median_slice(std::span<const stats::Sample> steady) {
  expect(!steady.empty(), "a median needs at least one slice");
  std::vector<double> slices;
  for (std::size_t first = 0; first < steady.size();) {
    double seconds = 0;
    double steps = 0;
    std::size_t end = first;
    for (; end < steady.size() && steady[end].slice == steady[first].slice && steady[end].arm == steady[first].arm;
         ++end) {
      seconds += steady[end].seconds;
      steps += steady[end].steps;
    }
    slices.push_back(seconds / steps);
    first = end;
  }
  return stats::median(std::move(slices));
}

std::map<std::string, double> step_metrics(std::span<const stats::Sample> samples, std::optional<std::int64_t> batch) {
  std::map<std::string, double> metrics;
  const auto steady = of_phase(samples, stats::Phase::steady);
  const auto first = of_phase(samples, stats::Phase::first);
  metrics["n"] = static_cast<double>(steady.size());
  if (!first.empty()) metrics["first_step"] = seconds_per_step(first.front());
  if (steady.empty()) return metrics;
  double seconds = 0;
  double steps = 0;
  for (const stats::Sample& sample : steady) {
    seconds += sample.seconds;
    steps += sample.steps;
  }
  metrics["step_time"] = median_slice(steady);
  metrics["step_time_mean"] = seconds / steps;
  metrics["step_time_p95"] = step_quantile(steady, 0.95);
  if (batch && seconds > 0) metrics["samples_per_second"] = static_cast<double>(*batch) * steps / seconds;
  return metrics;
}

}  // namespace regatta::results
