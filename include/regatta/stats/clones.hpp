// Contrasts of an arm with itself, in processes of their own: what this device shows where there is no difference
// (measuring.md R4, R5).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"
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

/// What clones of each engine showed on one device: the floor below which nothing is told apart there, and what
/// processes differ by. While a block is measured and when its file is read again, verdicts rest on the same pool.
class ClonePool {
 public:
  /// The slices of a clone (a) and of its original (b).
  void add(std::string_view engine, const ContrastSlices& clone, const JudgeOptions& options);

  /// `options` with the larger floor and process effect of these engines; an engine without a clone has no floor here,
  /// and the assumed process effect.
  [[nodiscard]] JudgeOptions options_for(JudgeOptions options, std::string_view a, std::string_view b) const;

  /// Relative difference; 0 if unknown.
  [[nodiscard]] double floor_of(std::string_view engine) const;

  /// Log ratio that 95 % of pairs of processes stay below: from how pairs scatter beyond what their squares explain,
  /// and never more than they were seen to. At least what is assumed until 7 pairs are known.
  [[nodiscard]] double process_effect_of(std::string_view engine) const;

 private:
  struct Engine {
    std::vector<double> estimates;  ///< log ratios of clones, without their own scatter
    std::vector<double> pairs;      ///< log ratios of pairs of processes
    double scatter_squares = 0;     ///< sum over pairs: what squares explain of (log ratio)^2
    double floor = 0;               ///< that the estimates make; asked for at every look
    double process_effect = 0;      ///< that the pairs make
  };
  std::map<std::string, Engine, std::less<>> engines_;
};

}  // namespace regatta::stats
