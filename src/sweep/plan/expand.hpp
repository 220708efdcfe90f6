// From points to trials: defaults filled in, what is not read made null, equal points merged, skips found.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "regatta/sweep/plan.hpp"
#include "sweep/plan/read_sets.hpp"

namespace regatta::sweep {

inline constexpr std::uint32_t no_trial = std::numeric_limits<std::uint32_t>::max();

/// Trials as numbers, in order of first appearance: a few bytes for each point.
struct Expansion {
  std::vector<std::uint32_t> trial_of_point;  ///< of those that are not excluded
  std::vector<std::uint32_t> skip_of_trial;   ///< position in Kinds::reasons(); 0: it runs
  std::vector<bool> optional_of_trial;        ///< its engine is an optional level; empty if the sweep has none

  [[nodiscard]] std::size_t trials() const { return skip_of_trial.size(); }
  [[nodiscard]] bool runs(std::uint32_t trial) const { return skip_of_trial[trial] == 0; }
  [[nodiscard]] bool is_optional(std::uint32_t trial) const {
    return !optional_of_trial.empty() && optional_of_trial[trial];
  }
};

/// Throws InputError if no point is left, or an engine lacks an axis that it needs.
Expansion expand(const Sweep& sweep, const Points& points, Kinds& kinds);

/// The trials themselves.
std::vector<Trial> make_trials(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion);

}  // namespace regatta::sweep
