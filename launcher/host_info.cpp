#include "host_info.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

// "key : value" lines of /proc/cpuinfo: the first model name, and how many different packages there are.
void read_cpuinfo(results::Host& host) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::set<std::string> packages;
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name") && host.cpu_model.empty()) host.cpu_model = value;
    if (line.starts_with("physical id")) packages.insert(value);
  }
  host.sockets = static_cast<std::int64_t>(packages.size());
}

}  // namespace

results::Host read_host() {
  results::Host host;
  utsname name{};
  if (::uname(&name) == 0) {
    host.name = name.nodename;
    host.kernel = name.release;
  }
  read_cpuinfo(host);
  host.cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  host.memory_bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") >> host.governor;
  return host;
}

std::string to_json(const results::Host& host) {
  const nlohmann::json json = {{"name", host.name}, {"cpu_model", host.cpu_model}, {"sockets", host.sockets}, {"cores", host.cores},
                               {"memory_bytes", host.memory_bytes}, {"kernel", host.kernel}, {"governor", host.governor}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

results::Host parse_host(const std::string& json) {
  try {
    const nlohmann::json read = nlohmann::json::parse(json);
    return {read.at("name"),         read.at("cpu_model"), read.at("sockets"), read.at("cores"),
            read.at("memory_bytes"), read.at("kernel"),    read.at("governor")};
  } catch (const nlohmann::json::exception& error) {
    throw PeerLost(std::string("an agent's description of its host cannot be read: ") + error.what());
  }
}

}  // namespace regatta::launcher
