// From points to trials: defaults filled in, what is not read made null, equal points merged, skips found.
#pragma once

#include <vector>

#include "regatta/sweep/plan.hpp"
#include "sweep/plan/read_sets.hpp"

namespace regatta::sweep {

/// Gives the plan its trials, in order of first appearance, and tells which is that of each point. Throws InputError if
/// no point is left, or an engine lacks an axis that it needs.
std::vector<TrialIndex> add_trials(const Sweep& sweep, const Points& points, Kinds& kinds, Plan& plan);

}  // namespace regatta::sweep
