#include "host/cgroups.hpp"

#include <fstream>

namespace regatta::launcher {

std::vector<std::filesystem::path> cpu_group_folders(const MachineFolders& folders, const std::string& process) {
  std::vector<std::filesystem::path> found;
  std::ifstream memberships(folders.proc / process / "cgroup");
  const std::filesystem::path root = folders.sys / "fs/cgroup";
  for (std::string line; std::getline(memberships, line);) {  // "0::/user.slice" or "4:cpu,cpuacct:/job"
    const auto second = line.find(':', line.find(':') + 1);
    if (second == std::string::npos || second + 2 > line.size()) continue;
    const bool version2 = line.starts_with("0::");
    if (!version2 && line.find("cpu,") == std::string::npos && line.find(":cpu:") == std::string::npos) continue;
    for (std::filesystem::path group = line.substr(second + 2);; group = group.parent_path()) {
      const std::filesystem::path folder = (version2 ? root : root / "cpu") / group;
      std::error_code not_there;
      if (std::filesystem::is_directory(folder, not_there)) found.push_back(folder);
      if (group.empty()) break;
    }
  }
  return found;
}

}  // namespace regatta::launcher
