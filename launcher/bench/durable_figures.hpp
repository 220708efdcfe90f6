// Coordinator, journal and sync thread alone, in this process: results that agents hand in as fast as they are taken.
#pragma once

#include <cstdint>
#include <filesystem>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

/// Results a second, from the first one handed in until the last is acknowledged as durable: `agents` of them, each
/// with at most as many unacknowledged ones as an agent has. Every sync of a file takes so much longer. The folder is
/// new.
double durable_rate(const sweep::Sweep& sweep, const sweep::Plan& plan, const std::filesystem::path& folder,
                    std::uint32_t agents, double slower_sync_seconds);

}  // namespace regatta::launcher
