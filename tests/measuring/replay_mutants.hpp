// Wrong ways of judging, each plausible and in use somewhere, that T1 must catch.
#pragma once

#include <vector>

#include "measuring/replay_random.hpp"
#include "regatta/stats/range.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::measuring {

/// 95 % percentile bootstrap of the median.
stats::Range bootstrap_interval(const std::vector<double>& values, Random& random);

/// "Outlier removal": only slices without flags, as many of either arm in every square.
stats::ContrastSlices without_flagged(const stats::ContrastSlices& slices);

/// Every square a replicate, whatever processes served it.
stats::ContrastSlices with_a_process_a_square(stats::ContrastSlices slices);

}  // namespace regatta::measuring
