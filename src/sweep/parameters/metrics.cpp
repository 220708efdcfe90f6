#include "regatta/sweep/metrics.hpp"

#include <algorithm>

#include "regatta/base/error.hpp"

namespace regatta::sweep {

const MetricInfo& info(Metric metric) {
  const auto* found = std::ranges::find(metric_table, metric, &MetricInfo::metric);
  expect(found != metric_table.end(), "every metric stands in the table");
  return *found;
}

}  // namespace regatta::sweep
