// Two samples that were not taken in turns: how far one lies above the other, by ranks alone.
#pragma once

#include <cstddef>
#include <span>

#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {

/// Chance that of all x_i < y_j at most `count` hold when both samples come from one continuous distribution:
/// Mann, Whitney: On a test of whether one of two random variables is stochastically larger than the other, 1947.
/// Exact up to 200 values together, beyond that the normal approximation. O(n^3) at most.
double rank_sum_probability(std::size_t x, std::size_t y, std::size_t count);

/// By how much x lies above y: the median of all differences x_i - y_j (Hodges, Lehmann 1963) and the interval from
/// their order statistics (Moses 1953) that holds a shift with at least 1 - alpha. NaN if either side is empty,
/// infinite ends below 7 values of either. For one look at samples whose size is not chosen by it.
Estimate shift(std::span<const double> x, std::span<const double> y, double alpha = rules::alpha);

/// p-value of "the shift lies in [-bound, bound]", two-sided; 1 if either side is empty.
double shift_p_value(std::span<const double> x, std::span<const double> y, double bound);

}  // namespace regatta::stats
