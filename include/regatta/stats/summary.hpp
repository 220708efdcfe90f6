// Summaries of measured values. Empty or too small input gives "nothing", never a made-up number.
#pragma once

#include <cstddef>
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

/// Unbiased sample variance, in two passes; nothing below two values.
std::optional<double> variance(const std::vector<double>& values);

/// A mean and the interval that holds the true mean with the asked confidence.
struct Interval {
  double low = 0;
  double mean = 0;
  double high = 0;
  std::size_t n = 0;  ///< number of values
};

/// Student's t interval of the mean for independent, roughly normal values; `confidence` in (0, 1),
/// for example 0.95. Nothing below two values or if a value is not finite.
std::optional<Interval> mean_interval(const std::vector<double>& values, double confidence);

}  // namespace regatta::stats
