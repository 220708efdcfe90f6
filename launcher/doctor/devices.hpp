// Slots and GPUs: what computes here.
#pragma once

#include <vector>

#include "doctor/findings.hpp"
#include "host/machine_files.hpp"

namespace regatta::launcher {

/// The default measuring slots, and what of this machine no slot uses. `cores`: how many this job may use.
DoctorLine slots_line(const std::vector<DeviceFound>& slots, std::size_t cores);

/// NVIDIA's GPUs, as kernel and driver tell, and whether an engine uses them.
DoctorLine gpu_line(const MachineFolders& folders, const std::vector<EngineFound>& engines);

}  // namespace regatta::launcher
