#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <vector>

#include "devices/devices.hpp"
#include "devices/nvml.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/engine/open_plugin.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::worker {
namespace {

/// The plugin and the devices of one kind.
struct Kind {
  std::string plugin;
  std::string problem = {};
  engine::PluginReport report = {};
};

std::string without_plugin(const std::filesystem::path& plugin) {
  return fmt::format(
      "this worker was built without CUDA: there is no {} beside it. The engine native computes on cores only. Build "
      "the preset cuda, or take another engine on the device",
      plugin.filename().string());
}

Kind look_at(const std::filesystem::path& plugin) {
  Kind kind{plugin.string()};
  if (!exists(plugin)) {
    kind.problem = without_plugin(plugin);
    kind.report.devices = nvml_devices(std::getenv("CUDA_VISIBLE_DEVICES"));  // other engines may use them
    return kind;
  }
  try {
    kind.report.versions = engine::plugin_versions(plugin.string());
    kind.report = engine::ask_plugin(plugin.string());
  } catch (const std::exception& error) {
    kind.problem = error.what();
  }
  return kind;
}

std::string to_json(const engine::PluginDevice& device, std::size_t index) {
  return fmt::format(
      R"({{"index": {}, "name": {}, "uuid": {}, "bus_id": {}, "memory_bytes": {}, "compute_capability": "{}.{}", )"
      R"("multiprocessors": {}}})",
      index, json::quote(device.name), json::quote(device.uuid), json::quote(device.bus_id), device.memory_bytes,
      device.compute_capability / 10, device.compute_capability % 10, device.multiprocessors);
}

std::string to_json(const Kind& kind) {
  std::string devices;
  for (std::size_t i = 0; i < kind.report.devices.size(); ++i)
    devices += (i == 0 ? "" : ", ") + to_json(kind.report.devices[i], i);
  return fmt::format(R"({{"plugin": {}, "versions": {}, "problem": {}, "devices": [{}]}})", json::quote(kind.plugin),
                     json::quote(kind.report.versions), json::quote(kind.problem), devices);
}

std::string state_text(const std::string& uuid) { return to_json(device_state(uuid).value_or(DeviceState{})); }

/// The devices that the plugin sees; those of NVML without a plugin.
std::vector<engine::PluginDevice> devices_of(const std::filesystem::path& plugin) {
  return exists(plugin) ? engine::ask_plugin(plugin.string()).devices
                        : nvml_devices(std::getenv("CUDA_VISIBLE_DEVICES"));
}

std::string checked(const std::filesystem::path& folder, const std::string& kind, std::int32_t index) {
  const std::filesystem::path plugin = plugin_file(folder, kind);
  const std::vector<engine::PluginDevice> devices = devices_of(plugin);
  if (index < 0 || static_cast<std::size_t>(index) >= devices.size()) {
    throw DeviceError(
        fmt::format("there is no {} device {} (this process sees {}); 'regatta-worker devices' lists them", kind, index,
                    devices.size()));
  }
  const engine::PluginDevice& device = devices[static_cast<std::size_t>(index)];
  DeviceRates rates;
  if (exists(plugin))
    rates = check_device(*engine::open_plugin(plugin.string(), {.device = index}), device.memory_bytes);
  return fmt::format(
      R"({{"uuid": {}, "write_bytes_per_second": {}, "read_bytes_per_second": {}, "product_flops_per_second": {}, )"
      R"("state": {}}})"
      "\n",
      json::quote(device.uuid), json::json_number(rates.write_bytes_per_second),
      json::json_number(rates.read_bytes_per_second), json::json_number(rates.product_flops_per_second),
      state_text(device.uuid));
}

}  // namespace

std::string state_of_device(const std::string& uuid) { return state_text(uuid) + "\n"; }

std::string list_devices(const std::filesystem::path& folder) {
  std::string text;
  for (const char* name : sweep::device_names) {
    if (name == std::string("cpu")) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ",\n ", json::quote(name),
                        to_json(look_at(plugin_file(folder, name))));
  }
  return "{" + text + "}\n";
}

std::string check_one_device(const std::filesystem::path& folder, const std::string& kind, std::int32_t index) {
  try {
    return checked(folder, kind, index);
  } catch (const std::exception& error) {  // std::bad_alloc, too
    return fmt::format("{{\"problem\": {}}}\n", json::quote(error.what()));
  }
}

}  // namespace regatta::worker
