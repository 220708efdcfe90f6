// Values that reports put into words: a metric of a trial, and ratios and differences with what was judged of them.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "regatta/results/tables.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/metrics.hpp"

namespace regatta::analysis {

/// A metric of a trial ("step_time", ...: results/tables.hpp); nothing if absent or not finite.
inline std::optional<double> metric(const results::TrialRow& trial, const std::string& name) {
  const auto found = trial.metrics.find(name);
  if (found == trial.metrics.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

/// The metric of one arm less that of another, in its unit.
struct Difference {
  double value = 0;
  std::optional<double> low = {}, high = {};  ///< 95 %
  double margin = 0;                          ///< largest difference that counts as none
  double unit = 1;                            ///< the scale by which it was judged, in the metric's unit
};

/// The metric of one arm over that of another, and what is known about it.
struct JudgedRatio {
  double ratio = 1;
  std::optional<double> low, high;
  stats::Verdict verdict = stats::Verdict::undecided;
  bool early = false;                                   ///< the verdict is not confirmed by signs of pairs alone
  sweep::Metric metric = sweep::Metric::time_per_step;  ///< decides what less and more of it are called
  std::optional<Difference> difference = {};            ///< the difference, where arms are compared by it
};

}  // namespace regatta::analysis
