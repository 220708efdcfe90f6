// Ranks on devices sum their gradients there, with what the devices' maker has for it. One implementation per kind of
// device, in its plugin (plugin.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace regatta::engine {

/// A rank's place among those that sum with one another.
struct GroupPlace {
  std::string id;           ///< open_plugin.hpp's new_group_id(), of rank 0
  std::int32_t device = 0;  ///< PluginSettings::device; each rank has another one
  std::int32_t rank = 0;
  std::int32_t ranks = 1;
  double patience_seconds = 60;  ///< for ranks that do not come, to the group and to each of its sums
  std::string stop = {};         ///< path of an exchange::Stop that ends every wait; empty: there is none
};

/// Made by open_plugin.hpp's join_group(), used by Backend::join. It outlives the backends that use it.
class DeviceGroup {
 public:
  DeviceGroup() = default;
  DeviceGroup(const DeviceGroup&) = delete;
  DeviceGroup& operator=(const DeviceGroup&) = delete;
  virtual ~DeviceGroup() = default;
};

}  // namespace regatta::engine
