// Contrasts of an arm with itself, in processes of their own: what this device shows where there is no difference
// (measuring.md R5).
#pragma once

#include <cstdint>
#include <span>

#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// The 95 % quantile of |log ratio|, never interpolated downwards: the largest below 20 values; 0 for none.
double absolute_p95(std::span<const double> log_ratios);

/// The relative difference that 95 % of these log ratios of identical trials stay below.
double noise_floor(std::span<const double> log_ratios);

/// Verdicts of the rules on pairs without a difference.
struct CloneChecks {
  std::int64_t same = 0;
  std::int64_t undecided = 0;
  std::int64_t wrong = 0;  ///< "faster" or "slower", said about identical code

  void add(Verdict verdict);
  [[nodiscard]] std::int64_t total() const { return same + undecided + wrong; }
};

}  // namespace regatta::stats
