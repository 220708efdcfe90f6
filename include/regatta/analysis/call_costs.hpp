// The cost of calls and of rows, fitted to batches that the sweep measured anyway: T = a + b batch for each curve.
// Explained cells know more (explanations.hpp).
#pragma once

#include <string>
#include <vector>

#include "regatta/analysis/growth.hpp"

namespace regatta::analysis {

struct CallCost {
  std::string arm;
  std::string where;         ///< the rest of the setting
  double calls_seconds = 0;  ///< a: what a step takes however few rows it has
  double seconds_per_row = 0;
  double misfit = 0;          ///< largest |log(measured / fitted)|
  double smallest_batch = 0;  ///< smallest batch of the fitted line
  double largest_batch = 0;
};

/// One entry for each curve along the batch with at least 3 values and a > 0; those that calls cost most first.
std::vector<CallCost> call_costs(const Growth& growth);

}  // namespace regatta::analysis
