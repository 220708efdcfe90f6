// The control groups that a process is in: whose CPU quota it is under, and how often its group was out of memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/machine_files.hpp"

namespace regatta::launcher {

/// Folders of the groups that limit the CPU time of `process` ("self", or a pid), from its own up to the root; of
/// version 2 and version 1, as far as they exist. Inside a container the path that the kernel tells may not be there,
/// but the root is the container's own group.
std::vector<std::filesystem::path> cpu_group_folders(const MachineFolders& folders, const std::string& process);

/// How often the kernel has killed a process of the group of `process` for lack of memory; 0 where nothing counts that.
/// Kills elsewhere on the host are other people's.
std::uint64_t oom_kills(const MachineFolders& folders, const std::string& process);

}  // namespace regatta::launcher
