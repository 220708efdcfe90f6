// Effects: the contrasts of a sweep taken together (measuring.md R13, R15). The report words them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/stats/range.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::analysis {

/// One pair of arms over all settings in which it was measured. Indices are into Contrasts::contrasts.
struct Effect {
  std::string a;
  std::string b;
  std::vector<std::size_t> contrasts;
  std::size_t least = 0;  ///< smallest ratio
  std::size_t most = 0;
  std::vector<std::size_t> faster;  ///< settings where a is, beyond doubt
  std::vector<std::size_t> slower;
  bool too_unlike = false;              ///< several models, or ratios too far apart for a mean
  std::optional<stats::Estimate> mean;  ///< geometric, of at least two settings that are alike

  [[nodiscard]] bool reverses() const { return !faster.empty() && !slower.empty(); }
};

/// Where along an axis the faster arm of an effect changes.
struct Crossing {
  std::string below;  ///< arm that wins below
  std::string above;
  sweep::Param axis = sweep::Param::batch;
  std::string where;  ///< the rest of the setting; empty if nothing else varies
  stats::Estimate at;
};

/// Whether a slower start is ever made up for: only steps with a verdict tell.
enum class Pays : std::uint8_t { yes, never, unknown };

/// The slower starter of a contrast: after how many steps it has made up for that.
struct PayBack {
  TrialIndex starter;  ///< starts more slowly
  TrialIndex other;
  Pays pays = Pays::unknown;
  bool is_warm = false;           ///< these starts found what earlier ones had compiled; else they did not
  stats::Estimate starter_start;  ///< seconds from a process's start to the end of its first step
  stats::Estimate other_start;
  double starter_step = 0;  ///< seconds of a step after that
  double other_step = 0;
  std::size_t processes = 0;             ///< pairs of fresh processes
  bool has_interval = false;             ///< not below 7 pairs
  std::optional<stats::Estimate> steps;  ///< where it pays back; its upper end may be infinite
  /// Beside `is_warm`: the first processes, which compiled.
  struct Cold {
    double starter_start = 0;
    double other_start = 0;
    std::optional<double> steps;  ///< where it pays back
  };
  std::optional<Cold> cold;
};

/// Whether one factor's ratio depends on another factor: (d / c) / (b / a), a the baseline.
struct Interaction {
  sweep::Param factor = sweep::Param::mode;   ///< a to b and c to d
  sweep::Param other = sweep::Param::engine;  ///< a to c and b to d
  BlockIndex block;
  std::array<TrialIndex, 4> arms;  ///< a, b, c and d
  double ratio_at_baseline = 0;    ///< b / a
  double ratio_at_other = 0;       ///< d / c
  double ratio = 0;                ///< ratio of the two ratios
  std::optional<double> low, high;
  std::size_t squares = 0;
};

struct Effects {
  std::vector<Effect> effects;  ///< most extreme mean first
  std::vector<Crossing> crossings;
  std::vector<PayBack> pay_backs;  ///< where one arm starts faster and the other one steps faster, or could
  std::vector<Interaction> interactions;
};

}  // namespace regatta::analysis
