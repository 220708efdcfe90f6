// What trials of several ranks want of a run, and what they make of the others.
#pragma once

#include <string>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

/// How many agents they want, and what fewer leave out; empty where no trial has several ranks.
std::string ranks_line(const sweep::Sweep& sweep, const sweep::Plan& plan);

/// Why trials of one rank have more shards than usual, where the sweep's `ranks` go higher and it names no shards;
/// empty elsewhere.
std::string shards_line(const sweep::Sweep& sweep, const sweep::Plan& plan);

}  // namespace regatta::launcher
