// The device that a slot has beside its cores.
#pragma once

#include <filesystem>
#include <optional>

#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {

/// The device whose plugin lies in `folder`, the worker's; nothing if there is none. It can measure one trial at a
/// time, so of the slots of a host the first alone has it.
std::optional<sweep::SlotDevice> device_of_slot(const std::filesystem::path& folder, int local_rank);

}  // namespace regatta::launcher
