// Which of several devices this process may use: the one that its slot owns.
#pragma once

#include <cstdint>
#include <vector>

#include "regatta/engine/plugin.hpp"

namespace regatta::worker {

/// Environment variable: the UUID of the slot's device. Processes may see devices in different orders, so that an index
/// would not do.
inline constexpr const char* slot_device_variable = "REGATTA_DEVICE";

/// The index among `devices` of the one that slot_device_variable names, 0 where it is not set. Throws DeviceError
/// where it names one that is not there.
std::int32_t slot_device(const std::vector<engine::PluginDevice>& devices);

}  // namespace regatta::worker
