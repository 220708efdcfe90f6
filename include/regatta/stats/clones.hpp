// Contrasts of an arm with itself, in processes of their own: what this device shows where there is no difference
// (measuring.md R4, R5).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

/// The 95 % quantile of |log ratio|, never interpolated downwards: the largest below 20 values; 0 for none.
double absolute_p95(std::span<const double> log_ratios);

/// Relative difference (JudgeOptions::floor) from the estimates of clone contrasts of one device and class of engine.
double noise_floor(std::span<const double> clone_estimates);

/// f_p (JudgeOptions::process_effect) from one log ratio for each pair of processes of clones of one engine.
inline double process_effect(std::span<const double> clone_pair_values) { return absolute_p95(clone_pair_values); }

/// What the rules said where there was no difference.
struct CloneChecks {
  std::int64_t same = 0;
  std::int64_t undecided = 0;
  std::int64_t wrong = 0;  ///< "faster" or "slower", said about identical code

  void add(Verdict verdict);
  [[nodiscard]] std::int64_t total() const { return same + undecided + wrong; }
};

/// "12 same, 1 undecided, 0 false"
std::string clone_checks_text(const CloneChecks& checks);

/// Whether a difference is to be marked because identical code was told apart: any smaller than 3 `delta` (log).
bool doubted(double log_ratio, const CloneChecks& checks, double delta);

}  // namespace regatta::stats
