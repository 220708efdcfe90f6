// The control groups whose CPU quota a process is under.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/machine_files.hpp"

namespace regatta::launcher {

/// Folders of the groups that limit the CPU time of `process` ("self", or a pid), from its own up to the root; of
/// version 2 and version 1, as far as they exist. Inside a container the path that the kernel tells may not be there,
/// but the root is the container's own group.
std::vector<std::filesystem::path> cpu_group_folders(const MachineFolders& folders, const std::string& process);

}  // namespace regatta::launcher
