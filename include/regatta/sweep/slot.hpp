// The slot that one agent owns and measures on: cores, and a device if it has one. A device has readings of its
// management library from before and after a block. A new reading needs a row here and code that asks for it: messages,
// journal and result file walk the table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

enum class DeviceKind : std::uint8_t { cpu, cuda };
inline constexpr std::array<const char*, 2> device_names = {"cpu", "cuda"};
inline const char* to_string(DeviceKind kind) { return device_names.at(static_cast<std::size_t>(kind)); }

/// The device that a trial computes on.
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

/// The kinds of devices whose blocks it can run: its cores, and its device.
inline std::vector<DeviceKind> kinds_of(const Slot& slot) {
  return slot.device ? std::vector{DeviceKind::cpu, slot.device->kind} : std::vector{DeviceKind::cpu};
}

/// The numbers are places in journals: none is ever given to another figure.
enum class DeviceFigure : std::uint8_t {
  clock = 0,
  memory_clock = 1,
  throttle = 2,
  temperature = 3,
  power = 4,
  memory_used = 5,
  energy = 6,
  heat_time = 7,
  power_time = 8,
};

struct DeviceFigureInfo {
  DeviceFigure figure;
  std::string_view column;  ///< in /blocks, with _before and _after behind it unless it counts
  std::string_view unit;    ///< UDUNITS spelling; empty: bits
  std::string_view description;
  bool counts = false;  ///< from the beginning of the block: 0 before it
};

/// Every figure, in the order of their numbers.
inline constexpr std::array device_figure_table = {
    DeviceFigureInfo{DeviceFigure::clock, "device_clock", "MHz", "clock of the device's multiprocessors"},
    DeviceFigureInfo{DeviceFigure::memory_clock, "device_memory_clock", "MHz", "clock of the device's memory"},
    DeviceFigureInfo{DeviceFigure::throttle, "device_throttle", "",
                     "why the device's clock is not at its most; 0: for no reason, or it does not tell"},
    DeviceFigureInfo{DeviceFigure::temperature, "device_temperature", "degC", "of the device's chip"},
    DeviceFigureInfo{DeviceFigure::power, "device_power", "W", "that the device takes"},
    DeviceFigureInfo{DeviceFigure::memory_used, "device_memory_used", "byte",
                     "memory of the device that all processes hold"},
    DeviceFigureInfo{DeviceFigure::energy, "device_energy", "J", "that the device took during the block", true},
    DeviceFigureInfo{DeviceFigure::heat_time, "device_heat_time", "s",
                     "time of the block in which heat held the device's clocks down", true},
    DeviceFigureInfo{DeviceFigure::power_time, "device_power_time", "s",
                     "time of the block in which the limit of its power held the device's clocks down", true},
};

/// Bits 1, 2, 4, ... of DeviceFigure::throttle, as nvmlClocksThrottleReasons.
inline constexpr std::array<const char*, 8> throttle_names = {
    "idle", "clocks_set", "power_limit", "hardware", "sync_boost", "heat", "hardware_heat", "power_brake"};

/// By number; NaN, or missing at the end: not told. Empty: nobody was asked.
using DeviceReading = std::vector<double>;

/// NaN if it is not told.
double figure_of(const DeviceReading& reading, DeviceFigure figure);

struct DeviceReadings {
  DeviceReading before, after;
  [[nodiscard]] bool empty() const { return before.empty() && after.empty(); }
  void clear() { *this = {}; }
};

/// Readings of a block that was measured on: as it ended then, with what was counted in both.
DeviceReadings joined(const DeviceReadings& first, const DeviceReadings& second);

}  // namespace regatta::sweep
