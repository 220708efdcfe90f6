// A trial's numbers from its samples: the names and units are those of docs/reference/results.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regatta/stats/samples.hpp"

namespace regatta::results {

struct MetricInfo {
  std::string name;
  std::string unit;  ///< UDUNITS spelling; "1" for a count
  std::string description;
};

/// The metrics that Regatta computes, in the order of the file's columns.
const std::vector<MetricInfo>& metric_table();

/// step_time, step_time_mean and, with a batch, samples_per_second from the steady samples; cold_start, warm_start,
/// start_time, prepare_time and first_step, medians over processes; n, the number of steady samples. Metrics that were
/// not measured are absent. `samples` are those of one arm.
std::map<std::string, double> step_metrics(std::span<const stats::Sample> samples, std::optional<std::int64_t> batch);

/// The metric time_to_n: cold start and `steps` steps more, median over fresh processes; nothing without any.
std::optional<double> time_to(std::span<const stats::Sample> samples, std::int64_t steps);

/// Median over slices (samples that follow each other with the same number) of their time / their steps. A median of
/// samples would say how fast an engine hands over steps that it waits for when the slice ends.
double median_slice(std::span<const stats::Sample> steady);

/// The quantiles of single calls that stand in sweep::metric_table, each with the ends of its interval
/// (stats::call_quantile); `calls` and `call_slices`, which say why one is absent.
std::map<std::string, double> call_metrics(std::span<const stats::Sample> samples, std::int64_t steps_per_call);

}  // namespace regatta::results
