// Which devices there are, and what driver and libraries.
#pragma once

#include <vector>

#include "regatta/engine/plugin.hpp"

namespace regatta::engine::cuda {

/// Throws DeviceError where none can be asked for: no driver, one that is too old, no device.
std::vector<PluginDevice> list_devices();

/// "driver 13.0, runtime 13.0, cuBLASLt 13.0.2, cuDNN 9.19.0"; "no driver" where there is none.
const char* versions();

}  // namespace regatta::engine::cuda
