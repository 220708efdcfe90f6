#include "host/slot_device.hpp"

#include <cstddef>

#include "regatta/base/own_paths.hpp"

namespace regatta::launcher {

std::optional<sweep::SlotDevice> device_of_slot(const std::filesystem::path& folder, int local_rank) {
  if (local_rank != 0) return std::nullopt;
  for (std::size_t i = 0; i < sweep::device_names.size(); ++i) {
    const std::filesystem::path plugin = plugin_file(folder, sweep::device_names.at(i));
    const auto kind = static_cast<sweep::DeviceKind>(i);
    if (kind != sweep::DeviceKind::cpu && exists(plugin)) return sweep::SlotDevice{kind, plugin.filename().string()};
  }
  return std::nullopt;
}

}  // namespace regatta::launcher
