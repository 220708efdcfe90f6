// The entry of libregatta_cuda.so.
#include "engine/cuda/backend.hpp"
#include "engine/cuda/devices.hpp"
#include "engine/plugin/serve.hpp"

extern "C" __attribute__((visibility("default"))) const regatta::engine::PluginTable* regatta_engine_plugin();
const regatta::engine::PluginTable* regatta_engine_plugin() {
  using namespace regatta::engine;
  return plugin::serve<cuda::make_backend, cuda::list_devices, cuda::versions>();
}
