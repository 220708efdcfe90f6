#include "ranks/slot_device.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "devices/found.hpp"
#include "devices/sharing.hpp"
#include "host/host.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"

namespace regatta::launcher {
namespace {

std::filesystem::path worker() { return executable_folder() / "regatta-worker"; }

/// The devices that this rank sees, of the kinds that trials ask for. The first rank of a host says why there is none
/// to see.
std::vector<SeenDevice> look(const std::set<sweep::DeviceKind>& kinds, bool says_why) {
  std::vector<SeenDevice> seen;
  for (const sweep::DeviceKind kind : kinds) {
    const FoundDevices found = find_devices(worker(), kind);
    if (found.devices.empty() && says_why) log::warn(fmt::format("device {}: {}", to_string(kind), found.problem));
    for (const FoundDevice& each : found.devices)
      seen.push_back({each.device, cores_near(MachineFolders{}.sys, each.bus_id)});
  }
  return seen;
}

/// Rank 0 says what is wrong and ends the job; who ends first would end it without a word.
std::vector<std::optional<sweep::SlotDevice>> shared(const MpiSession& mpi, const std::vector<RankView>& ranks,
                                                     const Chores& chores) {
  try {
    return share_devices(ranks);
  } catch (const InputError&) {
    if (mpi.rank() != 0) static_cast<void>(mpi.broadcast("", chores));
    throw;
  }
}

std::string to_text(const CheckedDevice& checked) {
  return nlohmann::json{{"name", checked.name}, {"health", to_json(checked.health)}}.dump();
}

CheckedDevice parse_checked(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  return {json.at("name"), parse_device_health(json.at("health"))};
}

/// All ranks take part, with a device or without.
std::string slowness_in_job(const MpiSession& mpi, const std::optional<CheckedDevice>& own, const Chores& chores) {
  std::vector<CheckedDevice> all;
  for (const std::string& text : mpi.gather(own ? to_text(*own) : "", chores)) {
    if (!text.empty()) all.push_back(parse_checked(text));
  }
  return own ? slowness(*own, all) : "";
}

}  // namespace

std::optional<OwnedDevice> own_device(const MpiSession& mpi, const std::set<sweep::DeviceKind>& kinds,
                                      const std::vector<int>& cores, const Chores& chores) {
  if (kinds.empty()) return std::nullopt;
  const RankView own{mpi.rank(), mpi.host(), read_host().name, cores, look(kinds, mpi.local_rank() == 0)};
  std::vector<RankView> ranks;
  for (const std::string& text : mpi.gather(to_text(own), chores)) ranks.push_back(parse_rank_view(text));
  const auto device = shared(mpi, ranks, chores).at(static_cast<std::size_t>(mpi.rank()));
  std::optional<CheckedDevice> checked;
  if (device) checked = {device->name, check_device(worker(), *device)};
  const std::string slow = slowness_in_job(mpi, checked, chores);
  if (!device) return std::nullopt;
  OwnedDevice owned{{*device, checked->health.state.free_bytes, {}, {}}, {}};
  note_check(owned.care, checked->health);
  if (const auto errors = checked->health.state.uncorrected_errors.value_or(0); errors > 0) {
    log::warn(
        fmt::format("the memory of the device {} ({}) had {} uncorrected errors since its driver was loaded (it may "
                    "fail); have it looked at",
                    device->name, device->uuid, errors));
  }
  if (!slow.empty()) {
    owned.flags.add(stats::Flag::slow_device);
    log::warn(
        fmt::format("the device {} ({}) of rank {} is slow: {}. Times on it are not typical of its kind. Look at its "
                    "clocks, temperature and slot with nvidia-smi -q",
                    device->name, device->uuid, mpi.rank(), slow));
  }
  return owned;
}

std::map<std::string, std::string> variables_of(const sweep::SlotDevice& device) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return {{"REGATTA_DEVICE", device.uuid},
          {"CUDA_VISIBLE_DEVICES", visible_name(visible == nullptr ? "" : visible, device.index)}};
}

}  // namespace regatta::launcher
