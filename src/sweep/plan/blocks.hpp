// From trials to blocks: who is measured beside whom, identities, demands and clones.
#pragma once

#include <cstddef>
#include <vector>

#include "regatta/sweep/plan.hpp"
#include "sweep/plan/read_sets.hpp"

namespace regatta::sweep {

/// Gives a plan that has its trials its blocks and no_contrasts. Throws InputError if the comparison does not fit the
/// axes, or its baseline matches no arm or several.
void add_blocks(const Sweep& sweep, const Points& points, Kinds& kinds, const std::vector<TrialIndex>& trial_of_point,
                Plan& plan);

/// Raises a block's demand to what an arm with these parameters needs.
void add_demand(Demand& demand, const Parameters& parameters);

}  // namespace regatta::sweep
