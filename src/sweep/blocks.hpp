// From trials to blocks: who is measured beside whom.
#pragma once

#include "regatta/sweep/plan.hpp"
#include "sweep/expand.hpp"
#include "sweep/grid.hpp"

namespace regatta::sweep {

/// Adds blocks and no_contrasts to the plan. Throws InputError if the comparison does not fit the axes, or its
/// baseline matches no arm or several.
void form_blocks(const Sweep& sweep, const Grid& grid, const Expansion& expansion, Plan& plan);

}  // namespace regatta::sweep
