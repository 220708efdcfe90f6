// The time that a block will take, before anything is measured, from how long processes of its trials took to start in
// earlier runs. It reckons as the loop of `measure` does before its pilot. It knows neither steps nor early decisions:
// times are those of comparisons that take all the time that they may.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/processes.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// A fresh process, from its start to the end of its first step.
struct StartTimes {
  double start = 0;  ///< imports included
  double prepare = 0;
  double first_step = 0;  ///< compilation included
};

/// The known start times of processes.
struct Starts {
  std::vector<std::optional<StartTimes>> of_trials = {};  ///< nothing, or beyond the end, where it is not known
  std::size_t cores = 1;                                  ///< a slot has so many: processes may begin side by side
  std::vector<SharedProcesses> shared = {};               ///< by block; beyond the end each has processes of its own

  [[nodiscard]] SharedProcesses shared_by(BlockIndex block) const;
};

/// The costs of a block before the number of its pairs of processes is known, in seconds. Imports of processes that
/// serve several blocks count in equal parts for each of them.
struct BlockCosts {
  double prepare = 0;       ///< until the first scored square
  double start = 0;         ///< another pair of processes, that begin one after the other
  double side_by_side = 0;  ///< or beside one another
  double wanted = 0;        ///< measuring time of all contrasts
  double planning = 0;      ///< time that slices are planned for
  bool is_compared = false;
  bool takes_one_pair = false;
};

/// Engines of which earlier blocks left a process, by the place of its arm.
using Warm = std::set<std::pair<std::size_t, std::string>>;

/// Nothing if how long one of its processes takes to start is not known. `warm` learns what the block leaves.
std::optional<BlockCosts> costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts,
                                   Warm& warm);

/// The first block of all.
std::optional<BlockCosts> costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts);

/// The same, where an engine that was never started counts as a framework of usual size.
BlockCosts guessed_costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts);

struct BlockForecast {
  std::int64_t pairs = 0;    ///< pairs of processes of each contrast; 0: it has none
  double seconds = 0;        ///< wall time
  bool starts_slow = false;  ///< a pair takes longer to start than a square to measure
};

/// `wall_seconds`: that the block may take.
BlockForecast forecast_of(const Measure& measure, const BlockCosts& costs, std::size_t arms,
                          double wall_seconds = std::numeric_limits<double>::infinity());

/// Wall time of as many pairs of processes and squares as a verdict needs.
double least_seconds(const Measure& measure, const BlockCosts& costs, std::size_t arms);

}  // namespace regatta::sweep
