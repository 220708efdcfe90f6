// Values that cluster: a mean or a median of two speeds is a speed that never occurs (measuring.md R6).
#pragma once

#include <vector>

namespace regatta::stats {

struct Mode {
  double value = 0;   ///< median of the cluster, log
  double weight = 0;  ///< share of the values
};

/// The clusters of log values, in increasing order; a single one unless the gaps between them are above 5 times the
/// median over clusters of their interquartile range and above `least_gap`. A cluster holds at least a tenth of the
/// values, and 5. Empty for no values.
std::vector<Mode> find_modes(std::vector<double> log_values, double least_gap);

}  // namespace regatta::stats
