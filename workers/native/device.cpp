#include "device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "devices/devices.hpp"
#include "native.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/engine/open_plugin.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::worker {
namespace {

using sweep::Param;

/// The part of a device's memory that a trial preallocates, 1/8: arms that are compared hold their memory side by side.
constexpr std::int64_t preallocated_part = 8;

engine::Transfers transfers_of(const sweep::Parameters& parameters) {
  if (is_level(parameters, Param::transfers, "pageable")) return engine::Transfers::pageable;
  return is_level(parameters, Param::transfers, "overlapped") ? engine::Transfers::overlapped
                                                              : engine::Transfers::pinned;
}

/// The key of kernel choices: all devices of a name share it, so that slots compute with the same kernels.
std::string choices_key(const engine::PluginDevice& found, const std::string& versions, const std::string& plugin) {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(plugin, none);
  const auto written = std::filesystem::last_write_time(plugin, none).time_since_epoch().count();
  return fmt::format("{}\n{}\nplugin of {} bytes from {}", found.name, versions, bytes, written);
}

/// The device that the slot of this process owns, or the one that PluginSettings::device names.
enum class Which { slots, named };

void ask_for_device(Device& device, Which which) {
  const std::string plugin = plugin_of(device.name);
  if (!std::filesystem::exists(plugin)) {
    throw InputError(
        fmt::format("the engine native was built without the device {} (there is no {}); build the preset {}, or take "
                    "another engine",
                    device.name, plugin, device.name));
  }
  const engine::PluginReport report = engine::ask_plugin(plugin);
  if (which == Which::slots) device.plugin.device = slot_device(report.devices);
  const auto index = static_cast<std::size_t>(device.plugin.device);
  if (index >= report.devices.size())
    throw DeviceError(fmt::format("there is no {} device {} here (its plugin sees {}); run it where there is one",
                                  device.name, index, report.devices.size()));
  const engine::PluginDevice& found = report.devices[index];
  device.memory_bytes = found.memory_bytes;
  device.uuid = found.uuid;
  device.description = found.name;
  if (device.plugin.memory == engine::DeviceMemory::preallocate)
    device.plugin.memory_bytes = found.memory_bytes / preallocated_part;
  device.plugin.choosing_seconds = device_choosing_seconds;
  device.choices_file = kernel_choices_file(choices_key(found, report.versions, plugin));
}

std::unique_ptr<engine::Backend> opened(const Device& device, engine::PluginSettings settings,
                                        engine::Precision precision) {
  settings.precision = precision;
  settings.choices_file = device.choices_file.empty() ? nullptr : device.choices_file.c_str();
  return engine::open_plugin(plugin_of(device.name), settings);
}

}  // namespace

std::string plugin_of(const std::string& device) { return plugin_file(executable_folder(), device); }

engine::Isa wanted_isa() {
  const char* const name = std::getenv("REGATTA_ISA");
  return name == nullptr ? engine::Isa::automatic : engine::cpu::isa_named(name);
}

Device device_of(const sweep::Parameters& parameters) {
  Device device;
  if (const auto* name = std::get_if<std::string>(&parameters[Param::device])) device.name = *name;
  if (!device.is_processor()) {
    const bool preallocates = is_level(parameters, Param::memory, "preallocate");
    device.plugin.memory = preallocates ? engine::DeviceMemory::preallocate : engine::DeviceMemory::grow;
    device.plugin.transfers = transfers_of(parameters);
    device.plugin.deterministic = !is_level(parameters, Param::deterministic, "off");
    ask_for_device(device, Which::slots);
    return device;
  }
  engine::cpu::Settings& processor = device.processor;
  processor.threads = static_cast<int>(std::clamp<std::int64_t>(integer_or(parameters, Param::threads, 1), 1, 4096));
  processor.isa = wanted_isa();
  processor.choosing_seconds = choosing_seconds;
  processor.choices_file = kernel_choices_file();
  return device;
}

Device device_at(const std::string& name, std::int32_t index) {
  Device device;
  device.name = name;
  device.plugin.device = index;
  ask_for_device(device, Which::named);
  return device;
}

std::unique_ptr<engine::Backend> make_backend(const Device& device, engine::Precision precision) {
  if (device.is_processor()) return engine::cpu::make_backend(device.processor, precision);
  return opened(device, device.plugin, precision);
}

std::unique_ptr<engine::Backend> make_backend_beside(const Device& device, engine::Precision precision) {
  if (device.is_processor()) return engine::cpu::make_backend(device.processor, precision);
  engine::PluginSettings settings = device.plugin;
  settings.memory = engine::DeviceMemory::grow;
  settings.memory_bytes = 0;
  return opened(device, settings, precision);
}

std::vector<std::string> devices_with_plugins() {
  std::vector<std::string> names;
  for (const char* name : sweep::device_names) {
    if (names.empty() || std::filesystem::exists(plugin_of(name))) names.emplace_back(name);
  }
  return names;
}

}  // namespace regatta::worker
