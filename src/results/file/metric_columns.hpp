// The metrics of all trials as columns: rows hold them by name.
#pragma once

#include <vector>

#include "regatta/results/tables.hpp"
#include "results/collect/metrics.hpp"

namespace regatta::results::hdf5 {

struct MetricColumn {
  MetricInfo metric;
  std::vector<double> values;  ///< one for each trial, NaN where it has none
};

/// The known metrics in their order, then whatever else the rows hold.
std::vector<MetricColumn> metric_columns(const std::vector<TrialRow>& trials);

}  // namespace regatta::results::hdf5
