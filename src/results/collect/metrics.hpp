// A trial's numbers from its samples: the names and units are those of docs/results.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/stats/samples.hpp"

namespace regatta::results {

struct MetricInfo {
  std::string_view name;
  std::string_view unit;  ///< UDUNITS spelling; "1" for a count
  std::string_view description;
};

/// The metrics that Regatta computes, in the order of the file's columns.
const std::vector<MetricInfo>& metric_table();

/// step_time, step_time_mean, step_time_p95 and, with a batch, samples_per_second from the steady samples;
/// first_step from the first sample of that phase; n, the number of steady samples. What was not measured is absent.
std::map<std::string, double> step_metrics(std::span<const stats::Sample> samples, std::optional<std::int64_t> batch);

/// Median over slices (samples that follow each other with the same number) of their time / their steps. A median of
/// samples would say how fast an engine hands over steps that it waits for when the slice ends.
double median_slice(std::span<const stats::Sample> steady);

/// The smallest seconds per step that at least the fraction `q` of all steps does not exceed, where a sample
/// of k steps stands for k steps of equal length; the mean of the two neighbours where q falls between two
/// (so q = 0.5 is the ordinary median). `steady` is not empty.
double step_quantile(std::span<const stats::Sample> steady, double q);

}  // namespace regatta::results
