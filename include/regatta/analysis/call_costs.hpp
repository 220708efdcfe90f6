// What the batches that a sweep measured anyway say about calls and rows: T = a + b batch through each curve. Cells
// that were explained know more (explanations.hpp).
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
  double smallest_batch = 0;  ///< of the line
  double largest_batch = 0;
};

/// One entry for each curve along the batch with at least 3 values and a > 0; those that calls cost most first.
std::vector<CallCost> call_costs(const Growth& growth);

}  // namespace regatta::analysis
