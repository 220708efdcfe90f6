// `regatta-worker calibrate --device NAME`: what a device can do at most.
#pragma once

#include <string>

#include "device.hpp"

namespace regatta::worker {

/// Measures for a second or two and returns one JSON object (docs/results.md, "/devices"):
/// {"uuid": "GPU-...", "name": "...", "fp32_flops_per_second": F, "tf32_flops_per_second": F, "bf16_flops_per_second":
/// F,
///  "memory_bytes_per_second": B, "upload_bytes_per_second": B, "download_bytes_per_second": B, "launch_seconds": S,
///  "node_seconds": S}; a precision that its plugin refuses is null. Throws DeviceError for a device that is not there.
std::string calibrate_device(const Device& device);

}  // namespace regatta::worker
