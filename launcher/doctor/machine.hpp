// What of a machine spoils measuring, or is too small.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "doctor/findings.hpp"
#include "host/machine_files.hpp"

namespace regatta::launcher {

/// Memory, swap, shared memory, limits of this process (files, processes, sizes), CPU quota, frequency governor,
/// battery, kinds of cores. `cores`: how many this job may use.
std::vector<DoctorLine> examine_machine(const MachineFolders& folders, std::size_t cores);

}  // namespace regatta::launcher
