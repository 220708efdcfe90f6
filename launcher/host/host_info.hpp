// What a result needs to know about the machine it was taken on.
#pragma once

#include <string>

#include "regatta/results/machine_json.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::launcher {

/// This host, as far as hwloc, /proc, /sys and uname tell; what cannot be read stays empty or 0.
results::Host read_host();

/// Reads an agent's first message, results::to_json, back. Throws PeerLost.
results::Host parse_host(const std::string& json);

}  // namespace regatta::launcher
