// Slots and GPUs: what computes here.
#pragma once

#include <vector>

#include "devices/found.hpp"
#include "devices/health.hpp"
#include "doctor/findings.hpp"
#include "host/machine_files.hpp"

namespace regatta::launcher {

/// The default measuring slots, and what of this machine no slot uses. `cores`: how many this job may use.
DoctorLine slots_line(const std::vector<DeviceFound>& slots, std::size_t cores);

/// NVIDIA's GPUs, as kernel and driver tell, and whether an engine uses them.
DoctorLine gpu_line(const MachineFolders& folders, const std::vector<EngineFound>& engines);

/// What the native engine can do with GPUs: the versions of driver and libraries, or the piece that is missing and what
/// to do about it.
DoctorLine cuda_line(const MachineFolders& folders, const FoundDevices& found);

/// One GPU of the native engine, as its check found it.
DoctorLine device_line(const FoundDevice& device, const DeviceHealth& health);

}  // namespace regatta::launcher
