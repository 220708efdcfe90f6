// A plugin of other sources: nothing of its table but the build id may be believed.
#include "regatta/engine/plugin.hpp"

extern "C" const regatta::engine::PluginTable* regatta_engine_plugin();
const regatta::engine::PluginTable* regatta_engine_plugin() {
  static const regatta::engine::PluginTable table = [] {
    regatta::engine::PluginTable empty{};
    empty.build_id = "0.0.1 of another tree";
    return empty;
  }();
  return &table;
}
