// The upright axis of learning curves: better is higher for what is maximised, and lower for what is minimised.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/findings/view.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {

/// An accuracy by its errors, logarithmic, so that 98 and 99 % are as far apart as 80 and 90. Other
/// values are logarithmic if all are positive, else linear.
class QualityAxis {
 public:
  QualityAxis(const analysis::Learning& learning, const std::vector<double>& values);

  [[nodiscard]] double percent(double value) const;
  /// Grid lines with their values.
  [[nodiscard]] std::string scale() const;

 private:
  bool counts_errors_ = false;
  double least_error_ = 0;
  std::optional<LogAxis> log_;
  double low_ = 0;  ///< where it is linear
  double high_ = 1;
};

}  // namespace regatta::report
