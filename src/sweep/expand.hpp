// From points to trials: defaults filled in, what is not read made null, equal points merged, skips found.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "regatta/sweep/plan.hpp"
#include "sweep/grid.hpp"

namespace regatta::sweep {

inline constexpr std::uint32_t no_trial = std::numeric_limits<std::uint32_t>::max();

struct Expansion {
  std::vector<Trial> trials;
  std::vector<std::uint32_t> trial_of_point;  ///< no_trial where the point is excluded
  std::int64_t points = 0;                    ///< not excluded
};

/// Throws InputError if everything is excluded, or an engine lacks an axis that it needs.
Expansion expand(const Sweep& sweep, const Grid& grid);

}  // namespace regatta::sweep
