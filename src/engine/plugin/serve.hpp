// The plugin's side of the boundary: any engine::Backend behind a PluginTable. Exceptions become a status here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "regatta/engine/plugin.hpp"

namespace regatta::engine::plugin {

using MakeBackend = std::unique_ptr<Backend> (*)(const PluginSettings& settings);
/// Throws DeviceError where no device can be asked for.
using ListDevices = std::vector<PluginDevice> (*)();
using TellVersions = const char* (*)();

/// How ranks on the plugin's devices sum. The id of a new group; an empty one is asked for where nothing is to be made.
struct Groups {
  std::string (*new_id)(bool is_made);
  std::unique_ptr<DeviceGroup> (*join)(const GroupPlace& place);
};
/// Throw InputError.
std::string no_group_id(bool is_made);
std::unique_ptr<DeviceGroup> join_no_group(const GroupPlace& place);
inline constexpr Groups kNoGroups{no_group_id, join_no_group};

/// A table without its `make`, `devices`, `versions`, `group_id` and `join_group`.
PluginTable functions();

/// Puts what `list` lists into `devices`, and how many there are into `count`.
PluginStatus list_with(ListDevices list, PluginDevice* devices, std::int32_t capacity, std::int32_t* count);

/// Puts a new backend into `made`.
PluginStatus make_with(MakeBackend make, const PluginSettings* settings, PluginBackend** made);

/// Writes the id of a new group.
PluginStatus write_id_with(const Groups& groups, char* text, std::int32_t capacity);
/// Puts a new group into `joined`.
PluginStatus join_with(const Groups& groups, const PluginPlace* place, PluginGroup** joined);

/// The table of a plugin whose backends `make` makes.
template <MakeBackend make, ListDevices list, TellVersions versions, const Groups& groups = kNoGroups>
const PluginTable* serve() {
  static const PluginTable table = [] {
    PluginTable filled = functions();
    filled.make = [](const PluginSettings* settings, PluginBackend** made) { return make_with(make, settings, made); };
    filled.devices = [](PluginDevice* devices, std::int32_t capacity, std::int32_t* count) {
      return list_with(list, devices, capacity, count);
    };
    filled.versions = versions;
    filled.group_id = [](char* text, std::int32_t capacity) { return write_id_with(groups, text, capacity); };
    filled.join_group = [](const PluginPlace* place, PluginGroup** joined) { return join_with(groups, place, joined); };
    return filled;
  }();
  return &table;
}

}  // namespace regatta::engine::plugin
