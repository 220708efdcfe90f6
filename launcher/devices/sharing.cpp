#include "devices/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

/// (host, UUID)
using Taken = std::set<std::pair<int, std::string>>;
using Owned = std::vector<std::optional<sweep::SlotDevice>>;

bool is_near(const SeenDevice& device, const std::vector<int>& cores) {
  return std::ranges::any_of(cores, [&](int core) { return std::ranges::count(device.near, core) > 0; });
}

void take(const std::vector<RankView>& ranks, bool near_only, Taken& taken, Owned& owned) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (owned[i]) continue;
    const auto free = std::ranges::find_if(ranks[i].devices, [&](const SeenDevice& seen) {
      return (!near_only || is_near(seen, ranks[i].cores)) && !taken.contains({ranks[i].host, seen.device.uuid});
    });
    if (free == ranks[i].devices.end()) continue;
    taken.emplace(ranks[i].host, free->device.uuid);
    owned[i] = free->device;
  }
}

void expect_one_owner_each(const std::vector<RankView>& ranks, const Owned& owned) {
  std::map<std::string, const RankView*> owners;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!owned[i]) continue;
    const auto [known, is_new] = owners.try_emplace(owned[i]->uuid, &ranks[i]);
    if (is_new) continue;
    const RankView& first = *known->second;
    throw InputError(fmt::format(
        "rank {} ({}) and rank {} ({}) both see the device {} as theirs. Each would measure the other's work. Do two "
        "containers share it? Show each rank another device by CUDA_VISIBLE_DEVICES, or start fewer ranks",
        first.rank, first.host_name, ranks[i].rank, ranks[i].host_name, owned[i]->uuid));
  }
}

}  // namespace

Owned share_devices(const std::vector<RankView>& ranks) {
  Taken taken;
  Owned owned(ranks.size());
  take(ranks, true, taken, owned);
  take(ranks, false, taken, owned);
  expect_one_owner_each(ranks, owned);
  return owned;
}

std::string to_text(const RankView& view) {
  nlohmann::json devices = nlohmann::json::array();
  for (const SeenDevice& seen : view.devices) {
    devices.push_back({{"kind", sweep::to_string(seen.device.kind)},
                       {"name", seen.device.name},
                       {"uuid", seen.device.uuid},
                       {"index", seen.device.index},
                       {"near", seen.near}});
  }
  return nlohmann::json{{"rank", view.rank},
                        {"host", view.host},
                        {"host_name", view.host_name},
                        {"cores", view.cores},
                        {"devices", devices}}
      .dump();
}

RankView parse_rank_view(const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    RankView view{json.at("rank"), json.at("host"), json.at("host_name"), json.at("cores"), {}};
    for (const auto& row : json.at("devices")) {
      const std::string name = row.at("kind");
      const auto kind = sweep::state_of<sweep::DeviceKind>(sweep::device_names, name);
      if (!kind) throw PeerLost(fmt::format("a rank says it has a device of the kind '{}'", name));
      view.devices.push_back({{*kind, row.at("name"), row.at("uuid"), row.at("index")}, row.at("near")});
    }
    return view;
  } catch (const nlohmann::json::exception& error) {
    throw PeerLost(fmt::format("a rank's list of its devices cannot be read: {}", error.what()));
  }
}

}  // namespace regatta::launcher
