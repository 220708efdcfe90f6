// Blocks of a sweep that trains.
#pragma once

#include <vector>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Every leg that a configuration may need, whatever the others give: which of them are trained, the search says.
std::vector<Leg> possible_legs(const Training& training, const std::optional<Search>& search);

/// A block for each possible leg of each trial that can run.
void add_legs(const Sweep& sweep, Plan& plan);

}  // namespace regatta::sweep
