// The device that computes a trial: the processor, or a plugin beside the worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "regatta/engine/cpu_backend.hpp"
#include "regatta/engine/plugin.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::worker {

struct Device {
  std::string name = "cpu";         ///< a level of the parameter `device`
  engine::cpu::Settings processor;  ///< the processor's
  engine::PluginSettings plugin;    ///< all others', without precision and choices_file
  std::string choices_file;         ///< the same: keeps the kernels that were chosen
  std::int64_t memory_bytes = 0;    ///< the same: all of it
  std::string uuid;                 ///< the same: "GPU-..."
  std::string description;          ///< the same: "NVIDIA H200"

  [[nodiscard]] bool is_processor() const { return name == "cpu"; }
};

/// The file of a device's plugin, beside the worker.
std::string plugin_of(const std::string& device);

/// The instruction set that the variable REGATTA_ISA names, or the best one that the processor has. Throws InputError
/// for an unknown name.
engine::Isa wanted_isa();

/// The device that the parameters of a trial name. Throws DeviceError if it is not there: its plugin is missing or of
/// another build, or finds no driver or fewer devices.
Device device_of(const sweep::Parameters& parameters);

/// A device by its place among those that its plugin sees. Throws DeviceError as device_of does.
Device device_at(const std::string& name, std::int32_t index);

/// A backend for the session that is measured. Throws DeviceError, InputError.
std::unique_ptr<engine::Backend> make_backend(const Device& device, engine::Precision precision);

/// The same for a session beside it, which checks or evaluates: it takes no more memory than it needs.
std::unique_ptr<engine::Backend> make_backend_beside(const Device& device, engine::Precision precision);

/// "cpu", and each device whose plugin lies beside the worker.
std::vector<std::string> devices_with_plugins();

}  // namespace regatta::worker
