#include "regatta/sweep/engines.hpp"

#include <algorithm>

namespace regatta::sweep {
namespace {

std::vector<EngineInfo> make_engines() {
  using Names = EngineInfo::Names;
  const Names cpu = {"cpu"};
  const Names fp32 = {"fp32"};
  const Names compiled = {"eager", "graph"};
  return {
      {.name = "native",
       .worker = WorkerKind::native,
       .modes = compiled,
       .devices = cpu,
       .loops = {"custom"},
       .inputs = {"array"},
       .precisions = {"fp32", "bf16"},
       .own_params = {"algorithm", "rewrite"},
       .has_kernels_of_ours = true},
      {.name = "torch",
       .worker = WorkerKind::python,
       .modes = compiled,
       .devices = cpu,
       .loops = {"custom"},
       .inputs = {"array", "pipeline", "resident"},
       .precisions = fp32,
       .own_params = {"host_dtype", "input", "loader_workers"},
       .has_python_models = true,
       .install = "run scripts/setup-engines.sh torch"},
      {.name = "tensorflow",
       .worker = WorkerKind::python,
       .modes = {"eager", "graph", "xla", "v1-session"},
       .devices = cpu,
       .loops = {"custom", "train_on_batch", "fit", "predict_on_batch", "predict"},
       .apis = {"keras", "tf_keras"},
       .inputs = {"array", "pipeline", "resident"},
       .precisions = fp32,
       .own_params = {"host_dtype", "input", "map_threads", "prefetch", "steps_per_call"},
       .has_python_models = true,
       .install = "run scripts/setup-engines.sh tensorflow"},
      {.name = "jax",
       .worker = WorkerKind::python,
       .modes = compiled,
       .devices = cpu,
       .loops = {"custom"},
       .inputs = {"array", "resident"},
       .precisions = fp32,
       .own_params = {"host_dtype", "input"},
       .has_python_models = true,
       .install = "run scripts/setup-engines.sh jax"},
      {.name = "numpy",
       .worker = WorkerKind::python,
       .modes = {"eager"},
       .devices = cpu,
       .loops = {"custom"},
       .inputs = {"array"},
       .precisions = fp32,
       .own_params = {"host_dtype", "input"},
       .layers = {"dense"},
       .install = "apt-get install python3-numpy"},
      {.name = "command", .worker = WorkerKind::program},
  };
}

}  // namespace

const std::vector<EngineInfo>& engine_table() {
  static const std::vector<EngineInfo> table = make_engines();
  return table;
}

const EngineInfo* find_engine(std::string_view name) {
  const auto row = std::ranges::find(engine_table(), name, &EngineInfo::name);
  return row == engine_table().end() ? nullptr : &*row;
}

bool contains(const EngineInfo::Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool has_worker(std::string_view engine, WorkerKind kind) {
  const EngineInfo* row = find_engine(engine);
  return row != nullptr && row->worker == kind;
}

}  // namespace regatta::sweep
