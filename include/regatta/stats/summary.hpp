// Summaries of measured values. Empty or too small input gives "nothing", never a made-up number.
#pragma once

#include <optional>
#include <vector>

namespace regatta::stats {

/// The middle value (the mean of the two middle ones for an even count); NaN if there are no values.
double median(std::vector<double> values);

/// The q-quantile, 0 <= q <= 1, linear between order statistics (Hyndman & Fan 1996, type 7: NumPy's
/// default). Nothing if there are no values or q lies outside [0, 1].
std::optional<double> quantile(std::vector<double> values, double q);

/// Arithmetic mean; nothing if there are no values.
std::optional<double> mean(const std::vector<double>& values);

}  // namespace regatta::stats
