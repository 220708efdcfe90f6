// Opens a backend that lives in a shared object of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "regatta/engine/plugin.hpp"

namespace regatta::engine {

/// A backend of the plugin in the file `path`. The library stays loaded: a device's driver may keep threads in it.
/// Throws DeviceError if the file is missing, is no plugin or was built from other sources; InputError for settings
/// that the plugin refuses.
std::unique_ptr<Backend> open_plugin(const std::string& path, const PluginSettings& settings);

/// The id of a new group, made by the process of its rank 0. Throws InputError where the plugin or this machine has no
/// groups, saying why; DeviceError.
std::string new_group_id(const std::string& path);

/// Throws as new_group_id does where groups cannot be made here.
void require_groups(const std::string& path);

/// Waits for the other ranks of the place's group. Throws DeviceError where they do not come in time, or the group is
/// told to stop; InputError for what the devices refuse.
std::unique_ptr<DeviceGroup> join_group(const std::string& path, const GroupPlace& place);

/// The devices that the plugin in the file `path` can compute on here, and its versions of driver and libraries.
struct PluginReport {
  std::vector<PluginDevice> devices;
  std::string versions;
};

/// Versions of driver and libraries alone, also where there is no driver. Throws DeviceError as open_plugin does.
std::string plugin_versions(const std::string& path);

/// Throws DeviceError as open_plugin does, and where the plugin finds no driver.
PluginReport ask_plugin(const std::string& path);

}  // namespace regatta::engine
