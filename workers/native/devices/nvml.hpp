// NVIDIA's management library, which comes with the driver: what a device does now. Loaded at run time; no context is
// made on the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regatta/engine/plugin.hpp"

namespace regatta::worker {

/// NVML's figures of one device; nothing where this device or driver does not report one.
struct DeviceState {
  std::optional<std::int64_t> free_bytes;
  std::optional<std::int64_t> processes;           ///< processes that compute on it
  std::optional<std::int64_t> uncorrected_errors;  ///< in its memory, since the driver was loaded
  std::optional<std::int64_t> temperature_celsius;
  std::optional<std::int64_t> power_milliwatts;
  std::optional<std::int64_t> clock_megahertz;  ///< its multiprocessors', now and at most
  std::optional<std::int64_t> most_clock_megahertz;
  std::optional<std::int64_t> throttle_reasons;  ///< bits, as nvmlClocksThrottleReasons
  std::optional<std::int64_t> memory_clock_megahertz;
  std::optional<std::int64_t> used_bytes;  ///< by all processes
  // Counted since the driver was loaded:
  std::optional<std::int64_t> energy_millijoules;
  std::optional<std::int64_t> heat_nanoseconds;   ///< in which heat held its clocks down
  std::optional<std::int64_t> power_nanoseconds;  ///< in which the limit of its power did
};

/// The state of the device with this UUID; nothing where there is no NVML, or it does not know the device.
std::optional<DeviceState> device_state(const std::string& uuid);

/// The devices that a process may use as CUDA_VISIBLE_DEVICES (`visible`; null: it is not set) says, in its order; none
/// where there is no NVML. For workers that have no plugin to ask.
std::vector<engine::PluginDevice> nvml_devices(const char* visible);

/// JSON object; null for what is not told.
std::string to_json(const DeviceState& state);

}  // namespace regatta::worker
