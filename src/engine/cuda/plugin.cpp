// The entry of libregatta_cuda.so.
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/nccl/rank_group.hpp"
#include "engine/plugin/serve.hpp"

namespace {
constexpr regatta::engine::plugin::Groups kGroups{regatta::engine::cuda::new_group_id,
                                                  regatta::engine::cuda::join_group};
}

extern "C" __attribute__((visibility("default"))) const regatta::engine::PluginTable* regatta_engine_plugin();
const regatta::engine::PluginTable* regatta_engine_plugin() {
  using namespace regatta::engine;
  return plugin::serve<cuda::make_backend, cuda::list_devices, cuda::versions, kGroups>();
}
