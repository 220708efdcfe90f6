// The points among which arms are compared: equal in every axis but those compared.
#pragma once

#include <optional>
#include <vector>

#include "sweep/plan/trials.hpp"

namespace regatta::sweep {

struct Group {
  std::vector<TrialIndex> members;     ///< in order of points; a trial may stand twice
  std::optional<TrialIndex> baseline;  ///< none: every point that it matches is excluded
};

/// Groups in order of first appearance. Throws InputError if the comparison does not fit the axes, or its baseline
/// matches no arm or several.
std::vector<Group> group_points(const Sweep& sweep, const Points& points, Kinds& kinds,
                                const std::vector<Trial>& trials, const std::vector<TrialIndex>& trial_of_point);

}  // namespace regatta::sweep
