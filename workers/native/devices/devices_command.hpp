// `regatta-worker devices`: what this worker can compute on beside the cores, or why it cannot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace regatta::worker {

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

}  // namespace regatta::worker
