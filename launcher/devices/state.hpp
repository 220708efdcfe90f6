// The state of a device by NVIDIA's management library: memory, errors, clocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {

/// Nothing for what device or driver do not tell.
struct DeviceState {
  std::optional<std::int64_t> free_bytes;
  std::optional<std::int64_t> processes;           ///< processes that compute on it
  std::optional<std::int64_t> uncorrected_errors;  ///< in its memory, since the driver was loaded
  std::optional<std::int64_t> temperature_celsius;
  std::optional<std::int64_t> power_milliwatts;
  std::optional<std::int64_t> clock_megahertz;
  std::optional<std::int64_t> most_clock_megahertz;
  std::optional<std::int64_t> throttle_reasons;  ///< bits, as nvmlClocksThrottleReasons
  std::optional<std::int64_t> memory_clock_megahertz;
  std::optional<std::int64_t> used_bytes;  ///< by all processes
  // Counted since the driver was loaded:
  std::optional<std::int64_t> energy_millijoules;
  std::optional<std::int64_t> heat_nanoseconds;   ///< in which heat held its clocks down
  std::optional<std::int64_t> power_nanoseconds;  ///< in which the limit of its power did
};

/// The command that asks for it without any use of the device; it prints what parse_device_state reads.
std::vector<std::string> state_command(const std::filesystem::path& worker, const sweep::SlotDevice& device);

/// An empty state for what cannot be read.
DeviceState parse_device_state(const std::string& text);

std::string to_json(const DeviceState& state);

/// Why the device's clock is lower than it could be, where that is its cooling or its power supply: "too hot (91
/// degrees C)"; empty if it is not, or is not known. A limit of power that is meant to be does not count.
std::string throttling(const DeviceState& state);

/// The readings that a block reports of its device; nothing for an empty state.
sweep::DeviceReadings readings_of(const DeviceState& before, const DeviceState& after);

/// Whether of the memory that was free before (`before_bytes`) nearly all is free again; true where it is not known.
bool has_memory_back(const DeviceState& state, std::optional<std::int64_t> before_bytes);

}  // namespace regatta::launcher
