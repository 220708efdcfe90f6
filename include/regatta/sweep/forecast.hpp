// The time that a plan will take, before anything is measured: its blocks one after the other, each within its share of
// `measure.total`.
#pragma once

#include <cstdint>
#include <optional>

#include "regatta/base/digest.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

struct Forecast {
  std::int64_t pairs = 0;     ///< where a block has fewest; 0: nothing is compared
  double first_seconds = 0;   ///< until the comparisons that begin first have as many pairs as a verdict needs; 0: none
  double seconds = 0;         ///< wall time of one pass over all blocks, on their slots
  bool starts_slow = false;   ///< in some block
  bool is_cut = false;        ///< `measure.total` leaves a block fewer pairs than `measure.per_contrast` alone would
  double enough_seconds = 0;  ///< `measure.total` that leaves each block enough pairs; 0: they have them, or no total
                              ///< would do
};

/// Foretells all blocks that are not finished. Nothing if the start of a process is not known.
std::optional<Forecast> foretell(const Sweep& sweep, const Plan& plan, const Sharing& sharing,
                                 const HashSet& finished = {});

}  // namespace regatta::sweep
