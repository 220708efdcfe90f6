// Which engines are installed here, in which version.
#pragma once

#include <vector>

#include "children/installations.hpp"
#include "doctor/findings.hpp"

namespace regatta::launcher {

/// Every engine of the capabilities table, asked for its version; then the installations in the user's cache.
std::vector<EngineFound> find_engines(const EnvironmentPlaces& places);

}  // namespace regatta::launcher
