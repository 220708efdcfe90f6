// What one agent owns and measures on: cores, and a device if it has one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

enum class DeviceKind : std::uint8_t { cpu, cuda };
inline constexpr std::array<const char*, 2> device_names = {"cpu", "cuda"};
inline const char* to_string(DeviceKind kind) { return device_names.at(static_cast<std::size_t>(kind)); }

/// What a trial computes on.
inline DeviceKind device_kind_of(const Parameters& parameters) {
  const auto* name = std::get_if<std::string>(&parameters[Param::device]);
  return name == nullptr ? DeviceKind::cpu : state_of<DeviceKind>(device_names, *name).value_or(DeviceKind::cpu);
}

/// A processor beside the cores of its host: one GPU.
struct SlotDevice {
  DeviceKind kind = DeviceKind::cuda;
  std::string name;        ///< "NVIDIA H200"
  std::string uuid = {};   ///< "GPU-...": the same in every process
  std::int32_t index = 0;  ///< among those that the slot's processes see without a choice of ours
  bool operator==(const SlotDevice&) const = default;
};

struct Slot {
  std::vector<int> cores;  ///< as the kernel numbers them, one hardware thread of each
  std::optional<SlotDevice> device = {};
  bool operator==(const Slot&) const = default;
};

/// Whose blocks it can run: those of its cores, and those of its device.
inline std::vector<DeviceKind> kinds_of(const Slot& slot) {
  return slot.device ? std::vector{DeviceKind::cpu, slot.device->kind} : std::vector{DeviceKind::cpu};
}

}  // namespace regatta::sweep
