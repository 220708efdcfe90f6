// What clones of each engine showed on one device: the floor below which nothing is told apart there, and what
// processes differ by (measuring.md R4, R5). While a block is measured and when its file is read again, verdicts rest
// on the same pool.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::stats {

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
  };
  std::map<std::string, Engine, std::less<>> engines_;
};

}  // namespace regatta::stats
