// Metrics: what the arms of a sweep are compared by (`measure.metric`). A new metric is a row here and, where its
// values are no times of slices, what takes them: reader, schema, loop, judge, result file, queries and reports walk
// this table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "regatta/stats/rules.hpp"

namespace regatta::sweep {

enum class Metric : std::uint8_t {
  time_per_sample,
  time_per_step,
};

/// How two values are compared.
enum class Scale : std::uint8_t { ratio, difference };
inline constexpr std::array scale_names = {"ratio", "difference"};
inline const char* name_of(Scale scale) { return scale_names.at(static_cast<std::size_t>(scale)); }

/// Which of two values is the better one.
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
  std::string_view noun;                 ///< as in "takes 1.2x the time of"
  std::string_view less = "faster";      ///< the verdict for the lower value
  std::string_view more = "slower";
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
};

const MetricInfo& info(Metric metric);

}  // namespace regatta::sweep
