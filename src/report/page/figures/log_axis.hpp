// A logarithmic axis in percent of a figure's width or height, so that figures stretch without scaling text.
#pragma once

#include <string>
#include <vector>

namespace regatta::report {

class LogAxis {
 public:
  /// Covers the positive finite ones of `values`, mapped to [first_percent, last_percent]; at least a factor
  /// of 1.2 is shown so that equal values do not fill the figure.
  LogAxis(const std::vector<double>& values, double first_percent, double last_percent);

  [[nodiscard]] double percent(double value) const;

  /// Round numbers (1, 2, 5 x 10^n; finer below a factor of 3) inside the range, about `wanted` of them.
  [[nodiscard]] std::vector<double> ticks(std::size_t wanted) const;

 private:
  double low_ = 0;   ///< log10
  double high_ = 1;  ///< log10
  double first_percent_;
  double last_percent_;
};

/// A coordinate as SVG wants it: "37.25%".
std::string percent_text(double percent);

}  // namespace regatta::report
