#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "devices/devices.hpp"
#include "regatta/base/error.hpp"

namespace regatta::worker {

std::int32_t slot_device(const std::vector<engine::PluginDevice>& devices) {
  const char* const uuid = std::getenv(slot_device_variable);
  if (uuid == nullptr || *uuid == '\0') return 0;
  const auto found =
      std::ranges::find_if(devices, [uuid](const auto& device) { return std::string(device.uuid) == uuid; });
  if (found != devices.end()) return static_cast<std::int32_t>(found - devices.begin());
  throw DeviceError(
      fmt::format("this process does not see the device {} that its slot owns ({} others are visible). It was lost, or "
                  "CUDA_VISIBLE_DEVICES hides it: look at 'regatta doctor'",
                  uuid, devices.size()));
}

}  // namespace regatta::worker
