// How long steps took in the last process of a trial: what its worker told last is to be set beside that.
#pragma once

#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// By trial, the mean step over the scored slices of its last process in seconds; 0 without any. Linear in the samples.
std::vector<double> last_process_steps(const results::Results& results);

}  // namespace regatta::analysis
