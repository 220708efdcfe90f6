#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "doctor/doctor.hpp"
#include "host/host.hpp"
#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

using State = DoctorLine::State;
using std::filesystem::path;

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;
constexpr std::uint64_t least_shared_memory_bytes = std::uint64_t{256} << 20;  // containers often have 64 MiB
constexpr std::uint64_t least_open_files = 1024;
constexpr std::uint64_t least_processes = 1024;

/// "MemTotal:  8130512 kB" -> bytes by name.
std::map<std::string, std::uint64_t> read_meminfo(const path& file) {
  std::map<std::string, std::uint64_t> values;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (words >> name >> kibibytes && name.ends_with(':')) values[name.substr(0, name.size() - 1)] = kibibytes * 1024;
  }
  return values;
}

DoctorLine memory_line(std::map<std::string, std::uint64_t> meminfo) {
  const std::uint64_t free_bytes = meminfo["MemAvailable"];
  const std::string detail =
      fmt::format("{} of {} available", format_size(free_bytes), format_size(meminfo["MemTotal"]));
  if (free_bytes >= gibibyte) return {"memory", State::ok, detail, ""};
  return {"memory", State::degraded, detail,
          "end other programs, or set limits.memory so that trials fail instead of swapping"};
}

DoctorLine swap_line(std::map<std::string, std::uint64_t> meminfo) {
  const std::uint64_t used = meminfo["SwapTotal"] - std::min(meminfo["SwapFree"], meminfo["SwapTotal"]);
  if (meminfo["SwapTotal"] == 0) return {"swap", State::ok, "none", ""};
  const std::string detail = fmt::format("{} of {} in use", format_size(used), format_size(meminfo["SwapTotal"]));
  if (used == 0) return {"swap", State::ok, detail, ""};
  return {"swap", State::degraded, detail + " (a step that touches a swapped page is slow)",
          "free memory, then swapoff -a and swapon -a"};
}

DoctorLine shared_memory_line(const path& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) {
    return {"shared memory", State::missing, folder.string() + " is not there", "mount a tmpfs on it"};
  }
  const std::uint64_t bytes = std::uint64_t{info.f_blocks} * info.f_frsize;
  const std::string detail = fmt::format("{} on {}", format_size(bytes), folder.string());
  if (bytes >= least_shared_memory_bytes) return {"shared memory", State::ok, detail, ""};
  return {"shared memory", State::degraded, detail + " (MPI may need more)", "start the container with --shm-size=1g"};
}

DoctorLine limit_line(const std::string& what, decltype(RLIMIT_NOFILE) resource, std::uint64_t least,
                      const std::string& option) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return {what, State::degraded, "cannot be read", "see `ulimit -a`"};
  if (limit.rlim_cur == RLIM_INFINITY) return {what, State::ok, "unlimited", ""};
  const std::string detail = fmt::format("{}", limit.rlim_cur);
  if (limit.rlim_cur >= least) return {what, State::ok, detail, ""};
  return {what, State::degraded, detail, fmt::format("ulimit {} {}", option, least)};
}

/// Sizes that a job of this kind wants unlimited.
DoctorLine size_limit_line(const std::string& what, decltype(RLIMIT_NOFILE) resource, const std::string& why,
                           const std::string& option) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return {what, State::degraded, "cannot be read", "see `ulimit -a`"};
  if (limit.rlim_cur == RLIM_INFINITY) return {what, State::ok, "unlimited", ""};
  return {what, State::degraded, fmt::format("{} ({})", format_size(limit.rlim_cur), why),
          fmt::format("ulimit {} unlimited", option)};
}

/// Cores' worth of time that "200000 100000" (quota, period) allows; nothing for "max 100000".
std::optional<double> quota_of(const std::string& quota, const std::string& period) {
  try {
    const double cores = std::stod(quota) / std::stod(period);
    return cores > 0 ? std::optional(cores) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The tightest quota of this process's control groups (version 2: each folder up to the root; version 1).
std::optional<double> cpu_quota(const MachineFolders& folders) {
  std::optional<double> tightest;
  const auto note = [&](std::optional<double> cores) {
    if (cores && (!tightest || *cores < *tightest)) tightest = cores;
  };
  for (const path& group : cpu_group_folders(folders, "self")) {
    std::istringstream limits(first_line(group / "cpu.max"));
    std::string quota;
    std::string period;
    if (limits >> quota >> period) note(quota_of(quota, period));
    note(quota_of(first_line(group / "cpu.cfs_quota_us"), first_line(group / "cpu.cfs_period_us")));
  }
  return tightest;
}

DoctorLine quota_line(const MachineFolders& folders, std::size_t cores) {
  const std::optional<double> quota = cpu_quota(folders);
  if (!quota || *quota >= static_cast<double>(cores))
    return {"CPU quota", State::ok, "none below the number of cores", ""};
  return {
      "CPU quota", State::degraded,
      fmt::format("{:.3g} cores' worth of time on {} cores (the kernel stops steps in their middle)", *quota, cores),
      "give the container whole cores (--cpuset-cpus) instead of a quota (--cpus)"};
}

/// The entries cpu0, cpu1, ... of the kernel's list.
std::vector<path> cpu_folders(const path& sys) {
  std::vector<path> cpus = entries(sys / "devices/system/cpu");
  std::erase_if(cpus, [](const path& entry) {
    const std::string name = entry.filename();
    return !name.starts_with("cpu") || name.size() < 4 || name.find_first_not_of("0123456789", 3) != std::string::npos;
  });
  return cpus;
}

std::set<std::string> values_of(const std::vector<path>& cpus, const char* file) {
  std::set<std::string> values;
  for (const path& cpu : cpus) values.insert(first_line(cpu / file));
  values.erase("");
  return values;
}

DoctorLine governor_line(const std::vector<path>& cpus) {
  const std::set<std::string> governors = values_of(cpus, "cpufreq/scaling_governor");
  if (governors.empty()) return {"frequency", State::ok, "not under this system's control", ""};
  const std::string detail = fmt::format("governor {}", fmt::join(governors, ", "));
  if (governors == std::set<std::string>{"performance"}) return {"frequency", State::ok, detail, ""};
  return {"frequency", State::degraded, detail + " (the clock changes while steps are timed)",
          "cpupower frequency-set -g performance"};
}

DoctorLine battery_line(const path& sys) {
  bool has_battery = false;
  for (const path& supply : entries(sys / "class/power_supply")) {
    if (first_line(supply / "type") != "Battery") continue;
    has_battery = true;
    if (first_line(supply / "status") == "Discharging") {
      return {"power", State::degraded, "runs on battery (clocks are lowered)", "plug it in"};
    }
  }
  return {"power", State::ok, has_battery ? "battery not in use" : "no battery", ""};
}

DoctorLine core_kinds_line(const path& sys, const std::vector<path>& cpus) {
  const bool hybrid =
      std::filesystem::exists(sys / "devices/cpu_core") && std::filesystem::exists(sys / "devices/cpu_atom");
  if (!hybrid && values_of(cpus, "cpu_capacity").size() < 2) return {"core kinds", State::ok, "one", ""};
  return {"core kinds", State::degraded, "fast and slow cores (slots differ in speed)",
          "run on one kind: taskset -c LIST regatta run ..."};
}

}  // namespace

std::vector<DoctorLine> examine_machine(const MachineFolders& folders, std::size_t cores) {
  const auto meminfo = read_meminfo(folders.proc / "meminfo");
  const std::vector<path> cpus = cpu_folders(folders.sys);
  return {memory_line(meminfo),
          swap_line(meminfo),
          shared_memory_line(folders.shared_memory),
          limit_line("open files", RLIMIT_NOFILE, least_open_files, "-n"),
          limit_line("processes", RLIMIT_NPROC, least_processes, "-u"),
          size_limit_line("file size", RLIMIT_FSIZE, "result files may be cut short", "-f"),
          size_limit_line("address space", RLIMIT_AS, "engines reserve far more than they use", "-v"),
          quota_line(folders, cores),
          governor_line(cpus),
          battery_line(folders.sys),
          core_kinds_line(folders.sys, cpus)};
}

}  // namespace regatta::launcher
