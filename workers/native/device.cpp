#include "device.hpp"

#include "regatta/base/own_paths.hpp"
#include "regatta/engine/open_plugin.hpp"

namespace regatta::worker {

std::unique_ptr<engine::Backend> make_backend(const Device& device, engine::Precision precision) {
  if (device.name == "cpu") return engine::cpu::make_backend(device.processor, precision);
  return engine::open_plugin(plugin_file(executable_folder(), device.name), {.precision = precision});
}

}  // namespace regatta::worker
