#include <hwloc.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "host/host.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

std::string read_cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";  // some architectures tell none
}

// All of the machine, whatever part of it this process may use.
void read_packages(results::Host& host) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return;
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> topology(raw, hwloc_topology_destroy);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) return;
  host.sockets = hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_PACKAGE);
  host.cores = hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_CORE);
  if (host.cores == 0) host.cores = hwloc_get_nbobjs_by_type(raw, HWLOC_OBJ_PU);
}

}  // namespace

results::Host read_host() {
  results::Host host;
  utsname name{};
  if (::uname(&name) == 0) {
    host.name = name.nodename;
    host.kernel = name.release;
  }
  host.cpu_model = read_cpu_model();
  read_packages(host);
  host.memory_bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") >> host.governor;
  host.node = batch_node();
  return host;
}

results::Host parse_host(const std::string& json) {
  try {
    return results::parse_host(json);
  } catch (const InputError& error) {
    throw PeerLost(std::string("an agent's description of its host cannot be read: ") + error.what());
  }
}

}  // namespace regatta::launcher
