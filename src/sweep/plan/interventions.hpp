// Blocks that measure a cell beside itself with one thing changed.
#pragma once

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Adds, after all blocks of trials, one block for each runnable trial of the first repeat in which something can be
/// changed. They change nothing about the blocks before them.
void add_explanations(const Sweep& sweep, Plan& plan);

}  // namespace regatta::sweep
