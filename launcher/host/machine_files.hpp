// Files by which the kernel tells about this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

}  // namespace regatta::launcher
