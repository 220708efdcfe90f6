// One value for several strata (measuring.md R15).
#pragma once

#include <cstdint>
#include <span>

#include "regatta/stats/range.hpp"

namespace regatta::stats {

enum class Weights : std::uint8_t { equal, inverse_variance };

/// The weighted mean of independent estimates and its interval: half as wide as theirs, squared and weighted, add up.
/// It is the mean over these strata, however much they differ. Inverse variances are those of the intervals' half
/// widths; if some have none, they alone count (their mean, and no width). NaN for none; all ranges must be finite.
Estimate pooled(std::span<const Estimate> strata, Weights weights);

}  // namespace regatta::stats
