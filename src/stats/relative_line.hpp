// A line through times, by relative errors: short times count as much as long ones.
#pragma once

#include <span>
#include <utility>

namespace regatta::stats {

struct RelativeLine {
  double intercept = 0;
  double slope = 0;
  double misfit = 0;  ///< largest |log(measured / fitted)|; infinite if the line is not above 0 everywhere
};

/// Least squares with the weights 1 / seconds^2 through (x, seconds), of which two x differ at least.
RelativeLine relative_line(std::span<const std::pair<double, double>> points);

}  // namespace regatta::stats
