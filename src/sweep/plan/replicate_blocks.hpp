// Blocks that ask the same question again, for other seeds, repeats or instances (measuring.md R4).
#pragma once

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Finds the blocks of which one pair of runs is enough: what a program tells under one seed is a function of it, or
/// has its noise seen over the other seeds. Times are measured under each seed as carefully as under a single one.
void find_replicates(const Sweep& sweep, Plan& plan);

}  // namespace regatta::sweep
