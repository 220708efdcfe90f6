// Quantiles of step times with intervals between order statistics (measuring.md R14): no distribution is assumed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "regatta/stats/range.hpp"

namespace regatta::stats {

/// The q-quantile (0 < q < 1) and the shortest pair of order statistics, equally unlikely to miss on either side, that
/// holds it with at least `confidence` for independent values. Nothing if there are too few values for one of the ends.
std::optional<Estimate> quantile_interval(std::vector<double> values, double q, double confidence);

/// Whether so much was measured that a far quantile means something: p99 needs 20 slices and 1,000 calls; others in
/// proportion to the calls beyond them.
bool enough_for_quantile(double q, std::size_t slices, std::size_t calls);

}  // namespace regatta::stats
