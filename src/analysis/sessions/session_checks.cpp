#include "analysis/sessions/session_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "regatta/base/error.hpp"

namespace regatta::analysis {
namespace {

std::string host_text(const results::Host& host) { return host.name + ", " + host.cpu_model; }

std::string device_text(const results::SlotRow& device) { return device.kind + " " + device.name; }

/// Where trials were measured: hosts alone, or with their devices.
std::set<std::string> places(const results::Results& results, bool with_devices) {
  std::set<std::string> all;
  for (const auto& device : results.devices) {
    const auto host = static_cast<std::size_t>(device.host);
    const std::string name = host < results.hosts.size() ? host_text(results.hosts[host]) : "unknown";
    all.insert(with_devices ? name + ", " + device_text(device) : name);
  }
  return all;
}

}  // namespace

void refuse_one_session(const results::Results& old_session, const results::Results& new_session) {
  if (session_id(old_session) == session_id(new_session))
    throw InputError("both files hold the same session (identical figures say nothing about two); name another file");
}

bool differs_in_machine(const results::Results& old_session, const results::Results& new_session, bool allowed) {
  for (const bool with_devices : {false, true}) {
    const auto before = places(old_session, with_devices);
    const auto after = places(new_session, with_devices);
    if (before == after) continue;
    if (allowed) return true;
    throw InputError(
        fmt::format("OLD was measured on {}, NEW on {}. Their difference would be taken for one of the code. Measure "
                    "both on one {}, or add --across to compare machines",
                    fmt::join(before, " and "), fmt::join(after, " and "), with_devices ? "device" : "machine"));
  }
  return false;
}

void refuse_nothing_in_common(const results::Results& old_session, const results::Results& new_session) {
  throw InputError(
      fmt::format("no trial stands in both files: '{}' has {}, '{}' has {}, and no two have the same parameters. Only "
                  "the same work can be compared: run the same sweep twice",
                  old_session.name, old_session.trials.size(), new_session.name, new_session.trials.size()));
}

FloorKey floor_key(const results::Results& results, const results::TrialRow& trial) {
  FloorKey key;
  key.engine = sweep::engine_of(trial.parameters);
  const auto host = static_cast<std::size_t>(trial.host);
  const auto device = static_cast<std::size_t>(trial.device);
  if (trial.host >= 0 && host < results.hosts.size()) key.host = host_text(results.hosts[host]);
  if (trial.device >= 0 && device < results.devices.size()) key.device = device_text(results.devices[device]);
  return key;
}

}  // namespace regatta::analysis
