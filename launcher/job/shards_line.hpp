// How many shards a sweep gives its steps because of its ranks.
#pragma once

#include <string>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

/// Why trials of one rank have more shards than usual, where the sweep's `ranks` go higher and it names no shards;
/// empty elsewhere.
std::string shards_line(const sweep::Sweep& sweep, const sweep::Plan& plan);

}  // namespace regatta::launcher
