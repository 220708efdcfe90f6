// The least time a step can take on the cores, or on the device, that it was given.
#pragma once

#include <memory>
#include <optional>

#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Seconds of one step if the trial's cores, or its device, did nothing but its multiply-adds, at their calibrated
/// peak. Nothing where that is unknown: no calibration, precisions without a peak, models without products.
class Roofline {
 public:
  explicit Roofline(const results::Results& results);
  ~Roofline();

  [[nodiscard]] std::optional<double> step_seconds(const results::TrialRow& trial) const;

 private:
  struct Spec;
  const results::Results& results_;
  std::unique_ptr<Spec> spec_;
};

}  // namespace regatta::analysis
