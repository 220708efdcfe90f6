// From an arrangement to blocks: identities, demands and clones.
#pragma once

#include "regatta/sweep/plan.hpp"
#include "sweep/plan/layout_of_blocks.hpp"

namespace regatta::sweep {

/// Adds blocks and no_contrasts to a plan that has its trials.
void form_blocks(const Arrangement& arrangement, Plan& plan);

}  // namespace regatta::sweep
