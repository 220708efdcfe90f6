// What of a machine spoils measuring, or is too small.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "doctor.hpp"

namespace regatta::launcher {

/// Where the kernel tells about itself.
struct MachineFolders {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
  std::filesystem::path shared_memory = "/dev/shm";
};

/// Of a file of the kernel's; empty if it is not there.
std::string first_line(const std::filesystem::path& file);

/// Sorted; none if the folder is not there.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

/// Memory, swap, shared memory, limits of this process (files, processes, sizes), CPU quota, frequency governor,
/// battery, kinds of cores. `cores`: how many this job may use.
std::vector<DoctorLine> examine_machine(const MachineFolders& folders, std::size_t cores);

}  // namespace regatta::launcher
