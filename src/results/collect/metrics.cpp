#include "results/collect/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/stats/cold_starts.hpp"
#include "regatta/stats/quantiles.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/sweep/facts.hpp"
#include "regatta/sweep/metrics.hpp"

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

void add_quantiles(std::vector<MetricInfo>& rows) {
  for (const sweep::MetricInfo& metric : sweep::metric_table) {
    if (!metric.quantile) continue;
    const std::string name(metric.name), unit(metric.unit);
    rows.push_back({name, unit, std::string(metric.description)});
    for (const char* end : {"low", "high"})
      rows.push_back({name + "_" + end, unit, fmt::format("{} end of its 95 % interval", end)});
  }
  rows.push_back({"calls", "1", "number of single calls that were stamped one by one"});
  rows.push_back({"call_slices", "1", "number of slices that hold them"});
}

}  // namespace

const std::vector<MetricInfo>& metric_table() {
  static const std::vector<MetricInfo> table = [] {
    std::vector<MetricInfo> rows = {
        {"step_time", "s", "time of one step: median over slices of elapsed time / steps"},
        {"step_time_mean", "s", "time of one step: total time of the steady samples / their steps"},
        {"samples_per_second", "s-1", "batch / step_time_mean"},
        {"cold_start", "s",
         "time from a process's start to the end of its first step: median over fresh processes that found nothing "
         "compiled"},
        {"warm_start", "s", "the same: median over fresh processes that found compiled what an earlier one had left"},
        {"start_time", "s", "time until a process was ready, imports included: median over fresh processes"},
        {"first_step", "s", "time of the first step after preparing: median over processes"},
    };
    for (const sweep::FactInfo& fact : sweep::fact_table) {
      if (!sweep::is_text(fact) && !fact.column.empty())
        rows.push_back({std::string(fact.column), std::string(fact.unit), std::string(fact.description)});
    }
    add_quantiles(rows);
    const sweep::MetricInfo& to_n = sweep::info(sweep::Metric::time_to_n);
    rows.push_back({std::string(to_n.name), std::string(to_n.unit), std::string(to_n.description)});
    rows.push_back({"n", "1", "number of steady samples"});
    return rows;
  }();
  return table;
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

namespace {

/// Seconds of a step. The first step tells nothing about processes that began beside others, which have no `prepare`.
/// Older results have no such part.
std::vector<double> first_steps(std::span<const stats::Sample> samples) {
  const auto is_prepare = [](const stats::Sample& sample) { return sample.phase == stats::Phase::prepare; };
  const bool knows_parts = std::ranges::any_of(samples, is_prepare);
  std::vector<double> seconds;
  bool began_alone = !knows_parts;
  for (const stats::Sample& sample : samples) {
    if (is_prepare(sample)) began_alone = true;
    if (sample.phase == stats::Phase::first && began_alone) seconds.push_back(seconds_per_step(sample));
    if (sample.phase != stats::Phase::first && !is_prepare(sample)) began_alone = !knows_parts;
  }
  return seconds;
}

/// Medians over processes of how they began.
void add_starts(std::map<std::string, double>& metrics, std::span<const stats::Sample> samples) {
  const auto add = [&](const char* name, std::vector<double> seconds) {
    if (!seconds.empty()) metrics[name] = stats::median(std::move(seconds));
  };
  std::vector<double> preparing, starting, cold, warm;
  for (const stats::Sample& sample : samples)
    if (sample.phase == stats::Phase::prepare) preparing.push_back(sample.seconds);
  const std::size_t arm = samples.empty() ? 0 : samples.front().arm;
  const auto by_arm = stats::cold_starts(samples, arm + 1);
  for (const stats::ColdStart& each : by_arm[arm]) {
    starting.push_back(each.start);
    (each.is_warm ? warm : cold).push_back(each.seconds());
  }
  add("cold_start", std::move(cold));
  add("warm_start", std::move(warm));
  add("start_time", std::move(starting));
  add("prepare_time", std::move(preparing));
  add("first_step", first_steps(samples));
}

}  // namespace

std::optional<double> time_to(std::span<const stats::Sample> samples, std::int64_t steps) {
  const std::size_t arm = samples.empty() ? 0 : samples.front().arm;
  const std::vector<stats::ArmReading> readings(arm + 1, stats::ArmReading{.steps_from_start = steps});
  const auto values = stats::slice_values(samples, readings);
  std::vector<double> seconds;
  for (const stats::SliceValue& process : values[arm]) seconds.push_back(process.seconds);
  return seconds.empty() ? std::nullopt : std::optional(stats::median(std::move(seconds)));
}

std::map<std::string, double> step_metrics(std::span<const stats::Sample> samples, std::optional<std::int64_t> batch) {
  std::map<std::string, double> metrics;
  const auto steady = of_phase(samples, stats::Phase::steady);
  metrics["n"] = static_cast<double>(steady.size());
  add_starts(metrics, samples);
  if (steady.empty()) return metrics;
  double seconds = 0;
  double steps = 0;
  for (const stats::Sample& sample : steady) {
    seconds += sample.seconds;
    steps += sample.steps;
  }
  metrics["step_time"] = median_slice(steady);
  metrics["step_time_mean"] = seconds / steps;
  if (batch && seconds > 0) metrics["samples_per_second"] = static_cast<double>(*batch) * steps / seconds;
  return metrics;
}

std::map<std::string, double> call_metrics(std::span<const stats::Sample> samples, std::int64_t steps_per_call) {
  const auto calls = stats::single_calls(samples, steps_per_call);
  std::map<std::string, double> metrics = {{"calls", static_cast<double>(calls.size())},
                                           {"call_slices", static_cast<double>(stats::slices_of(calls))}};
  for (const sweep::MetricInfo& metric : sweep::metric_table) {
    const auto found = metric.quantile ? stats::call_quantile(calls, *metric.quantile) : std::nullopt;
    if (!found) continue;
    const std::string name(metric.name);
    metrics[name] = found->value;
    metrics[name + "_low"] = found->range.low;
    metrics[name + "_high"] = found->range.high;
  }
  return metrics;
}

}  // namespace regatta::results
