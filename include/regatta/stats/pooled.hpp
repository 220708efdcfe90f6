// One value for several strata (measuring.md R15).
#pragma once

#include <span>

#include "regatta/stats/range.hpp"

namespace regatta::stats {

/// The mean of independent estimates and its interval: the squares of half widths add up. It is the mean over these
/// strata, however much they differ and however long each was measured: weights by precision would hang on when
/// measuring stopped, and double or halve the mean of ratios from 1 to 60 from run to run. NaN for none; all ranges
/// must be finite.
Estimate pooled(std::span<const Estimate> strata);

}  // namespace regatta::stats
