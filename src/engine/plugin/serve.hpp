// The plugin's side of the boundary: any engine::Backend behind a PluginTable. What is thrown becomes a status here.
#pragma once

#include <memory>

#include "regatta/engine/plugin.hpp"

namespace regatta::engine::plugin {

using MakeBackend = std::unique_ptr<Backend> (*)(const PluginSettings& settings);

/// A table without its `make`.
PluginTable functions();

/// Puts a new backend into `made`.
PluginStatus make_with(MakeBackend make, const PluginSettings* settings, PluginBackend** made);

/// The table of a plugin whose backends `make` makes.
template <MakeBackend make>
const PluginTable* serve() {
  static const PluginTable table = [] {
    PluginTable filled = functions();
    filled.make = [](const PluginSettings* settings, PluginBackend** made) { return make_with(make, settings, made); };
    return filled;
  }();
  return &table;
}

}  // namespace regatta::engine::plugin
