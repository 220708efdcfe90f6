// Metrics: what the arms of a sweep are compared by (`measure.metric`). A new metric is a row here and, where its
// values are no times of slices, what takes them: reader, schema, loop, judge, result file, queries and reports walk
// this table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "regatta/stats/rules.hpp"

namespace regatta::sweep {

enum class Metric : std::uint8_t {
  time_per_sample,
  time_per_step,
  latency_p50,
  latency_p95,
  latency_p99,
  peak_memory,
  time_to_n,
  result,
};

/// How two values are compared.
enum class Scale : std::uint8_t { ratio, difference };
inline constexpr std::array scale_names = {"ratio", "difference"};
inline const char* name_of(Scale scale) { return scale_names.at(static_cast<std::size_t>(scale)); }

/// The direction in which a value is better.
enum class Better : std::uint8_t { lower, higher };
inline constexpr std::array better_names = {"lower", "higher"};
inline const char* name_of(Better better) { return better_names.at(static_cast<std::size_t>(better)); }

struct MetricInfo {
  Metric metric;
  std::string_view name;  ///< in sweep files, results and reports
  std::string_view unit;  ///< UDUNITS spelling
  Scale scale = Scale::ratio;
  Better better = Better::lower;
  double margin = stats::rules::margin;  ///< smallest difference that matters, unless the sweep says another
  std::optional<double> quantile = {};   ///< the quantile of single calls; nothing: the metric is none
  std::string_view noun;                 ///< as in "takes 1.2x the time of"
  std::string_view less = "faster";      ///< the verdict for the lower value
  std::string_view more = "slower";
  std::string_view best = "Fastest";
  std::string_view description;
};

/// Every metric, in the order in which people read them.
inline const std::array metric_table = {
    MetricInfo{.metric = Metric::time_per_sample,
               .name = "time_per_sample",
               .unit = "s",
               .noun = "time per sample",
               .description =
                   "time of a step over its batch, the inverse of throughput; where batches are alike, or an "
                   "arm reads none, time of a step"},
    MetricInfo{.metric = Metric::time_per_step,
               .name = "time_per_step",
               .unit = "s",
               .noun = "time",
               .description = "time of a step, whatever its batch"},
    MetricInfo{.metric = Metric::latency_p50,
               .name = "latency_p50",
               .unit = "s",
               .quantile = 0.50,
               .noun = "p50 call time",
               .description = "what half of the single calls do not exceed; closed loop, service time"},
    MetricInfo{.metric = Metric::latency_p95,
               .name = "latency_p95",
               .unit = "s",
               .margin = 0.05,
               .quantile = 0.95,
               .noun = "p95 call time",
               .description = "what 95 % of the single calls do not exceed; closed loop, service time"},
    MetricInfo{.metric = Metric::latency_p99,
               .name = "latency_p99",
               .unit = "s",
               .margin = 0.10,
               .quantile = 0.99,
               .noun = "p99 call time",
               .description = "what 99 % of the single calls do not exceed; closed loop, service time"},
    MetricInfo{.metric = Metric::peak_memory,
               .name = "peak_memory",
               .unit = "byte",
               .noun = "peak memory",
               .less = "smaller",
               .more = "larger",
               .best = "Smallest",
               .description = "largest resident memory of a process, one value for each fresh process"},
    MetricInfo{.metric = Metric::time_to_n,
               .name = "time_to_n",
               .unit = "s",
               .margin = 0.05,
               .noun = "time to n steps",
               .description = "cold start and `measure.n` steps more, one value for each fresh process"},
    MetricInfo{.metric = Metric::result,
               .name = "result",
               .unit = "1",
               .noun = "result",
               .less = "lower",
               .more = "higher",
               .best = "Lowest",
               .description = "a number that the program or loop tells (`{\"result\": NAME}`), one value for each "
                              "fresh process"},
};

const MetricInfo& info(Metric metric);

/// Whether single calls are what it is about: each is stamped, and done when its stamp is taken.
inline bool is_latency(Metric metric) { return info(metric).quantile.has_value(); }

/// Whether a process gives one value, however much it is measured.
inline bool is_of_processes(Metric metric) {
  return metric == Metric::peak_memory || metric == Metric::time_to_n || metric == Metric::result;
}

/// The same, where that value is no time.
inline bool is_value_of_processes(Metric metric) { return metric == Metric::peak_memory || metric == Metric::result; }

/// Whether slices are timed as a whole.
inline bool is_step_time(Metric metric) { return metric == Metric::time_per_sample || metric == Metric::time_per_step; }

}  // namespace regatta::sweep
