// Summaries of measured values. Empty or too small input gives "nothing", never a made-up number.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {

/// The time in which at least one of these spans (start, end) lasts: where they overlap it counts once.
double covered_seconds(std::vector<std::pair<double, double>> spans);

/// The middle value (the mean of the two middle ones for an even count); NaN if there are no values.
double median(std::vector<double> values);

/// The q-quantile, 0 <= q <= 1, linear between order statistics (Hyndman & Fan 1996, type 7: NumPy's
/// default). Nothing if there are no values or q lies outside [0, 1].
std::optional<double> quantile(std::vector<double> values, double q);

/// Arithmetic mean; nothing if there are no values.
std::optional<double> mean(const std::vector<double>& values);

/// One value for several strata (measuring.md R15): the mean of independent estimates and its interval: the squares of
/// half widths add up. It is the mean over these strata, however much they differ and however long each was measured:
/// weights by precision would hang on when measuring stopped, and double or halve the mean of ratios from 1 to 60 from
/// run to run. NaN for none; all ranges must be finite.
Estimate pooled(std::span<const Estimate> strata);

/// Half width of a two-sided interval at 1 - alpha, in standard errors that rest on so many degrees of freedom;
/// infinite where there are none.
double student_half_width(double degrees_of_freedom, double alpha = rules::alpha);

/// The mean with its interval; NaN for no values, infinite ends below two.
Estimate student_mean(std::span<const double> values, double alpha = rules::alpha);

/// Spread of values, like a standard deviation but of their middle half: interquartile range / 1.349. 0 below 2 values.
double robust_spread(std::span<const double> values);

}  // namespace regatta::stats
