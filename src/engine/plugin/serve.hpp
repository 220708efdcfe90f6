// The plugin's side of the boundary: any engine::Backend behind a PluginTable. What is thrown becomes a status here.
#pragma once

#include <memory>
#include <vector>

#include "regatta/engine/plugin.hpp"

namespace regatta::engine::plugin {

using MakeBackend = std::unique_ptr<Backend> (*)(const PluginSettings& settings);
/// Throws DeviceError where no device can be asked for.
using ListDevices = std::vector<PluginDevice> (*)();
using TellVersions = const char* (*)();

/// A table without its `make`, `devices` and `versions`.
PluginTable functions();

/// Puts what `list` lists into `devices`, and how many there are into `count`.
PluginStatus list_with(ListDevices list, PluginDevice* devices, std::int32_t capacity, std::int32_t* count);

/// Puts a new backend into `made`.
PluginStatus make_with(MakeBackend make, const PluginSettings* settings, PluginBackend** made);

/// The table of a plugin whose backends `make` makes.
template <MakeBackend make, ListDevices list, TellVersions versions>
const PluginTable* serve() {
  static const PluginTable table = [] {
    PluginTable filled = functions();
    filled.make = [](const PluginSettings* settings, PluginBackend** made) { return make_with(make, settings, made); };
    filled.devices = [](PluginDevice* devices, std::int32_t capacity, std::int32_t* count) {
      return list_with(list, devices, capacity, count);
    };
    filled.versions = versions;
    return filled;
  }();
  return &table;
}

}  // namespace regatta::engine::plugin
