// What of a machine spoils measuring, or is too small.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "doctor.hpp"

namespace regatta::launcher {

/// Where the kernel tells about itself.
struct MachineFolders {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
  std::filesystem::path shared_memory = "/dev/shm";
};

/// Memory, swap, shared memory, limits of this process (files, processes, sizes), CPU quota, frequency governor,
/// battery, kinds of cores. `cores`: how many this job may use.
std::vector<DoctorLine> examine_machine(const MachineFolders& folders, std::size_t cores);

}  // namespace regatta::launcher
