// The points among which arms are compared: equal in every axis but those compared.
#pragma once

#include <cstdint>
#include <vector>

#include "sweep/plan/expand.hpp"

namespace regatta::sweep {

struct Groups {
  std::vector<std::uint32_t> ends;      ///< of each group's members
  std::vector<std::uint32_t> members;   ///< trials of all groups, one group after the other; a trial may stand twice
  std::vector<std::uint32_t> baseline;  ///< of each group; no_trial: every point that it matches is excluded

  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::size_t begin_of(std::size_t group) const { return group == 0 ? 0 : ends[group - 1]; }
};

/// Groups in order of first appearance. Throws InputError if the comparison does not fit the axes, or its baseline
/// matches no arm or several.
Groups group_points(const Sweep& sweep, const Points& points, Kinds& kinds, const Expansion& expansion);

}  // namespace regatta::sweep
