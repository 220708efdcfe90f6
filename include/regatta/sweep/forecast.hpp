// What a plan will take, before anything is measured: from how long processes of its trials took to start in earlier
// runs. It reckons as the loop of `measure` does before its pilot, and knows neither steps nor what will be decided
// early: times are those of comparisons that take all the time that they may.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// A fresh process, from its start to the end of its first step.
struct StartTimes {
  double start = 0;  ///< imports included
  double prepare = 0;
  double first_step = 0;  ///< what it compiles included
};

/// What is known of how processes start.
struct Starts {
  std::vector<std::optional<StartTimes>> of_trials = {};  ///< nothing, or beyond the end, where it is not known
  std::size_t cores = 1;                                  ///< a slot has so many: processes may begin side by side
};

/// What a block costs before it is known how many pairs of processes there will be. Seconds.
struct BlockCosts {
  double prepare = 0;       ///< until the first scored square
  double start = 0;         ///< another pair of processes, that begin one after the other
  double side_by_side = 0;  ///< or beside one another
  double wanted = 0;        ///< measuring time of all contrasts
  bool is_compared = false;
};

/// Nothing if how long one of its processes takes to start is not known.
std::optional<BlockCosts> costs_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts);

struct BlockForecast {
  std::int64_t pairs = 0;    ///< pairs of processes of each contrast; 0: it has none
  double seconds = 0;        ///< wall time
  bool starts_slow = false;  ///< a pair takes longer to start than a square to measure
};

/// `wall_seconds`: that the block may take.
BlockForecast forecast_of(const Measure& measure, const BlockCosts& costs, std::size_t arms,
                          double wall_seconds = std::numeric_limits<double>::infinity());

struct Forecast {
  std::int64_t pairs = 0;     ///< where a block has fewest; 0: nothing is compared
  double seconds = 0;         ///< wall time of one pass over all blocks, on their slots
  bool starts_slow = false;   ///< in some block
  bool is_cut = false;        ///< `measure.total` leaves a block fewer pairs than `measure.per_contrast` alone would
  double enough_seconds = 0;  ///< `measure.total` that leaves each block enough pairs; 0: they have them, or no total
                              ///< would do
};

/// Foretells all blocks that are not finished. Nothing if the start of a process is not known.
std::optional<Forecast> foretell(const Sweep& sweep, const Plan& plan, const Sharing& sharing, const Starts& starts,
                                 const std::set<Hash128>& finished = {});

}  // namespace regatta::sweep
