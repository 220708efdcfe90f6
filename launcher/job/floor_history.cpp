#include "job/floor_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "job/job.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"

namespace regatta::launcher {
namespace {

using nlohmann::json;

RememberedFloor remembered_from(const json& from) {
  RememberedFloor read{from.at("pair"), from.at("floor"), from.at("trials")};
  if (!std::isfinite(read.floor) || read.floor < 0) throw InputError(fmt::format("a floor of {}", read.floor));
  return read;
}

}  // namespace

std::filesystem::path default_floor_folder() { return user_cache_folder(); }

std::string pair_name(const std::string& session, const std::string& other) {
  return std::min(session, other) + " " + std::max(session, other);
}

FloorHistory::FloorHistory(const std::filesystem::path& cache_folder) {
  if (cache_folder.empty()) return;
  file_ = cache_folder / "session-floors.json";
  const bool is_read = read_cache_file(file_, "floors between sessions are learnt anew", [&](const json& read) {
    for (const json& entry : read.at("floors")) {
      auto& floors = floors_[{entry.at("host"), entry.at("device"), entry.at("engine")}];
      for (const json& pair : entry.at("pairs")) floors.push_back(remembered_from(pair));
    }
  });
  if (!is_read) floors_.clear();
}

std::optional<double> FloorHistory::floor(const analysis::FloorKey& key, const std::string& pair) const {
  const auto found = floors_.find(key);
  if (found == floors_.end()) return std::nullopt;
  std::optional<double> largest;
  for (const RememberedFloor& each : found->second) {
    if (each.pair != pair) largest = std::max(largest.value_or(0), each.floor);
  }
  return largest;
}

void FloorHistory::remember(const std::vector<analysis::SessionFloor>& learnt, const std::string& pair) {
  if (learnt.empty()) return;
  for (const analysis::SessionFloor& each : learnt) {
    auto& floors = floors_[each.key];
    std::erase_if(floors, [&](const RememberedFloor& known) { return known.pair == pair; });
    floors.push_back({pair, each.floor, each.trials});
    if (floors.size() > most_remembered) floors.erase(floors.begin());
  }
  json entries = json::array();
  for (const auto& [key, floors] : floors_) {
    json pairs = json::array();
    for (const auto& each : floors)
      pairs.push_back({{"pair", each.pair}, {"floor", each.floor}, {"trials", each.trials}});
    entries.push_back({{"host", key.host}, {"device", key.device}, {"engine", key.engine}, {"pairs", pairs}});
  }
  try {
    if (file_.empty()) throw InputError("neither XDG_CACHE_HOME nor HOME names a folder");
    write_cache_file(file_, json{{"floors", entries}});
  } catch (const std::exception& error) {
    log::warn(fmt::format("the floor between sessions cannot be kept ({}); later comparisons will not know it",
                          error.what()));
  }
}

}  // namespace regatta::launcher
