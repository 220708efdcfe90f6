// Devices beside the cores: those that are there, their health, and the slot's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "regatta/engine/backend.hpp"
#include "regatta/engine/plugin.hpp"

namespace regatta::worker {

// device_check.cpp: A short look at whether a device is well: how fast it copies and multiplies.

/// The rates of a device in some tenths of a second: figures to compare devices of one kind by, no peaks.
struct DeviceRates {
  double write_bytes_per_second = 0;    ///< from the host to the device, each byte counted once
  double read_bytes_per_second = 0;     ///< and back
  double product_flops_per_second = 0;  ///< square products in fp32
};

/// Measures for about a second, in at most an eighth of the device's memory. Throws DeviceError where the device fails
/// or computes a product wrongly, and std::bad_alloc where it has not even that memory free.
DeviceRates check_device(engine::Backend& backend, std::int64_t memory_bytes);

// devices_command.cpp: `regatta-worker devices`: what this worker can compute on beside the cores, or why it cannot.

/// One JSON object with one line for each kind of device. A device that cannot be used is no error: its line says why.
/// A worker without a plugin for them names the devices that NVML knows: other engines may compute on them.
/// {"cuda": {"plugin": FILE, "versions": "driver 13.0, ...", "problem": "", "devices": [{"index": 0, "name": "NVIDIA
/// H200", "uuid": "GPU-...", "bus_id": "00000000:3b:00.0", "memory_bytes": B, "compute_capability": "9.0",
/// "multiprocessors": 132}]}}
std::string list_devices(const std::filesystem::path& folder);

/// The state of the device with this UUID as NVML tells it (nvml.hpp), as one JSON object: empty where there is no
/// NVML.
std::string state_of_device(const std::string& uuid);

/// Whether device `index` of this kind is well, in some two seconds (without a plugin: whether it is there, rates 0),
/// as one JSON object: {"uuid": "GPU-...", "write_bytes_per_second": R, "read_bytes_per_second": R,
/// "product_flops_per_second": R, "state": {...}}, or {"problem": TEXT} where it is not there, fails or has no memory
/// left.
std::string check_one_device(const std::filesystem::path& folder, const std::string& kind, std::int32_t index);

// slot_device.cpp: The one of several devices that this process may use: its slot's.

/// Environment variable: the UUID of the slot's device. Processes may see devices in different orders, so that an index
/// would not do.
inline constexpr const char* slot_device_variable = "REGATTA_DEVICE";

/// The index among `devices` of the one that slot_device_variable names, 0 where it is not set. Throws DeviceError
/// where it names one that is not there.
std::int32_t slot_device(const std::vector<engine::PluginDevice>& devices);

}  // namespace regatta::worker
