// From a sweep to its plan.
#pragma once

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Expands, canonicalises, merges, finds skips and forms blocks. Throws InputError (for example when
/// the baseline matches no arm, or more than one, or everything is excluded).
Plan make_plan(const Sweep& sweep);

/// Whether one training of each engine of the plan is repeated.
bool wants_repeats(const Sweep& sweep, const Plan& plan);

}  // namespace regatta::sweep
