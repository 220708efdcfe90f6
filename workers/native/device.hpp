// What computes a trial: the processor, or a plugin beside the worker.
#pragma once

#include <memory>
#include <string>

#include "regatta/engine/cpu_backend.hpp"

namespace regatta::worker {

struct Device {
  std::string name = "cpu";         ///< a level of the parameter `device`
  engine::cpu::Settings processor;  ///< of cpu
};

/// A backend for one session. Throws DeviceError for a device whose plugin is missing or of another build.
std::unique_ptr<engine::Backend> make_backend(const Device& device, engine::Precision precision);

}  // namespace regatta::worker
