#include <fmt/format.h>

#include <algorithm>

#include "native.hpp"
#include "regatta/base/error.hpp"
#include "regatta/engine/open_plugin.hpp"

namespace regatta::worker {
namespace {

std::string device_in(const std::string& member) { return member.substr(0, member.find(' ')); }

}  // namespace

std::string device_member(const Device& device, std::uint32_t rank) {
  if (rank == 0) return device.uuid + ' ' + engine::new_group_id(plugin_of(device.name));
  engine::require_groups(plugin_of(device.name));  // said before rank 0 waits for this one
  return device.uuid;
}

std::string group_id_among(const std::vector<std::string>& members) {
  for (auto member = members.begin(); member != members.end(); ++member) {
    const auto same = std::find_if(member + 1, members.end(),
                                   [&](const std::string& other) { return device_in(other) == device_in(*member); });
    if (same == members.end()) continue;
    throw InputError(
        fmt::format("ranks {} and {} compute on one device, {} (ranks sum between devices of their own); "
                    "start as many agents as there are devices",
                    member - members.begin(), same - members.begin(), device_in(*member)));
  }
  expect(!members.empty() && members.front().find(' ') != std::string::npos, "rank 0 tells the id of the group");
  return members.front().substr(members.front().find(' ') + 1);
}

std::unique_ptr<engine::DeviceGroup> join_devices(const Device& device, std::uint32_t rank,
                                                  const protocol::Join& request) {
  return engine::join_group(plugin_of(device.name), {.id = group_id_among(request.members),
                                                     .device = device.plugin.device,
                                                     .rank = static_cast<std::int32_t>(rank),
                                                     .ranks = static_cast<std::int32_t>(request.members.size()),
                                                     .patience_seconds = request.patience_seconds,
                                                     .stop = request.stop});
}

}  // namespace regatta::worker
