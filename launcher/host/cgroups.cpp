#include <fstream>
#include <optional>
#include <string_view>

#include "host/host.hpp"

namespace regatta::launcher {
namespace {

/// Where the groups of one controller stand: below the root of version 2, or below a folder of version 1.
struct Hierarchy {
  std::string_view controllers;  ///< as the kernel lists them: "cpu,cpuacct"; empty in version 2
  std::filesystem::path group;
};

std::optional<Hierarchy> parse_membership(const std::string& line) {  // "0::/user.slice" or "4:cpu,cpuacct:/job"
  const auto first = line.find(':');
  const auto second = line.find(':', first + 1);
  if (second == std::string::npos || second + 2 > line.size()) return std::nullopt;
  return Hierarchy{std::string_view(line).substr(first + 1, second - first - 1), line.substr(second + 2)};
}

bool lists(std::string_view controllers, std::string_view wanted) {
  for (;;) {
    const auto comma = controllers.find(',');
    if (controllers.substr(0, comma) == wanted) return true;
    if (comma == std::string_view::npos) return false;
    controllers.remove_prefix(comma + 1);
  }
}

/// Folders of the groups that limit `process`, from its own up to the root, as far as they exist. Inside a container
/// the path that the kernel tells may not be there, but the root is the container's own group.
std::vector<std::filesystem::path> group_folders(const MachineFolders& folders, const std::string& process,
                                                 std::string_view controller) {
  std::vector<std::filesystem::path> found;
  std::ifstream memberships(folders.proc / process / "cgroup");
  const std::filesystem::path root = folders.sys / "fs/cgroup";
  for (std::string line; std::getline(memberships, line);) {
    const auto hierarchy = parse_membership(line);
    if (!hierarchy) continue;
    const bool version2 = hierarchy->controllers.empty();
    if (!version2 && !lists(hierarchy->controllers, controller)) continue;
    for (std::filesystem::path group = hierarchy->group;; group = group.parent_path()) {
      const std::filesystem::path folder = (version2 ? root : root / controller) / group;
      std::error_code not_there;
      if (std::filesystem::is_directory(folder, not_there)) found.push_back(folder);
      if (group.empty()) break;
    }
  }
  return found;
}

/// The number after `oom_kill` in a file of "name number" lines.
std::optional<std::uint64_t> count_in(const std::filesystem::path& file) {
  std::ifstream lines(file);
  std::string name;
  for (std::uint64_t value = 0; lines >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::filesystem::path> cpu_group_folders(const MachineFolders& folders, const std::string& process) {
  return group_folders(folders, process, "cpu");
}

std::uint64_t oom_kills(const MachineFolders& folders, const std::string& process) {
  for (const auto& group : group_folders(folders, process, "memory")) {
    for (const char* file : {"memory.events.local", "memory.events", "memory.oom_control"}) {
      if (const auto count = count_in(group / file)) return *count;
    }
  }
  return 0;
}

}  // namespace regatta::launcher
