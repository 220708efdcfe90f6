// The rows of engines.
#include "regatta/sweep/engines.hpp"

namespace regatta::sweep {
namespace {

EngineInfo tensorflow() {
  const EngineInfo::Names from_loader = {"loader"};
  return {.name = "tensorflow",
          .worker = WorkerKind::python,
          .modes = {"eager", "graph", "xla", "v1-session"},
          .devices = {"cpu", "cuda"},
          .loops = {"custom", "train_on_batch", "fit", "predict_on_batch", "predict"},
          .apis = {"keras", "tf_keras"},
          .inputs = {"array", "pipeline", "resident", "loader"},
          .train_inputs = {"array", "loader"},
          .precisions = {"fp32"},
          .own_params = {{"host_dtype"},
                         {"input"},
                         {"loader_depth", from_loader},
                         {"loader_workers", from_loader},
                         {"map_threads", {"pipeline"}},
                         {"operands"},
                         {"prefetch", {"pipeline"}},
                         {"steps_per_call"},
                         {"transform", {"pipeline", "loader"}}},
          .has_python_models = true,
          .install = "run scripts/setup-engines.sh tensorflow",
          .libraries = {"tensorflow", "keras", "tf_keras"}};
}

EngineInfo native() {
  const EngineInfo::Names piped = {"pipeline"};
  return {.name = "native",
          .worker = WorkerKind::native,
          .modes = {"eager", "graph"},
          .devices = {"cpu", "cuda"},
          .loops = {"custom"},
          .inputs = {"array", "pipeline", "headspace"},
          .train_inputs = {"array", "pipeline"},
          .precisions = {"fp32", "tf32", "bf16"},
          .batch_statistics = {"shard", "batch"},
          .own_params = {{"algorithm"},
                         {"batch_statistics"},
                         {"bucket_bytes"},
                         {"deterministic"},
                         {"host_dtype"},
                         {"input"},
                         {"loader_depth", piped},
                         {"loader_workers", piped},
                         {"memory"},
                         {"rewrite"},
                         {"shards"},
                         {"transfers"},
                         {"transform", piped}},
          .has_kernels_of_ours = true,
          .has_ranks = true,
          .trains_in_ranks = true};
}

EngineInfo torch() {
  const EngineInfo::Names from_loader = {"loader"};
  const EngineInfo::Names piped_or_loaded = {"pipeline", "loader"};
  return {.name = "torch",
          .worker = WorkerKind::python,
          .modes = {"eager", "graph", "reduce-overhead"},
          .devices = {"cpu", "cuda"},
          .loops = {"custom"},
          .inputs = {"array", "pipeline", "resident", "loader"},
          .train_inputs = {"array", "loader"},
          .precisions = {"fp32"},
          .batch_statistics = {"shard"},
          .own_params = {{"batch_statistics"},
                         {"bucket_bytes"},
                         {"host_dtype"},
                         {"input"},
                         {"loader_depth", from_loader},
                         {"loader_workers", piped_or_loaded},
                         {"operands"},
                         {"transform", piped_or_loaded}},
          .has_python_models = true,
          .has_ranks = true,
          .install = "run scripts/setup-engines.sh torch",
          .libraries = {"torch"}};
}

EngineInfo jax() {
  const EngineInfo::Names from_loader = {"loader"};
  return {.name = "jax",
          .worker = WorkerKind::python,
          .modes = {"eager", "graph"},
          .devices = {"cpu", "cuda"},
          .loops = {"custom"},
          .inputs = {"array", "resident", "loader"},
          .train_inputs = {"array", "loader"},
          .precisions = {"fp32"},
          .own_params = {{"host_dtype"},
                         {"input"},
                         {"loader_depth", from_loader},
                         {"loader_workers", from_loader},
                         {"operands"},
                         {"transform", from_loader}},
          .has_python_models = true,
          .hands_over_steps = true,
          .install = "run scripts/setup-engines.sh jax",
          .libraries = {"jax", "jaxlib"}};
}

EngineInfo numpy() {
  const EngineInfo::Names from_loader = {"loader"};
  return {.name = "numpy",
          .worker = WorkerKind::python,
          .modes = {"eager"},
          .devices = {"cpu"},
          .loops = {"custom"},
          .inputs = {"array", "loader"},
          .train_inputs = {"array", "loader"},
          .precisions = {"fp32"},
          .own_params = {{"host_dtype"},
                         {"input"},
                         {"loader_depth", from_loader},
                         {"loader_workers", from_loader},
                         {"transform", from_loader}},
          .layers = {"dense"},
          .install = "apt-get install python3-numpy",
          .libraries = {"numpy"}};
}

std::vector<EngineInfo> make_engines() {
  return {native(), torch(), tensorflow(), jax(), numpy(), {.name = "command", .worker = WorkerKind::program}};
}

}  // namespace

const std::vector<EngineInfo>& engine_table() {
  static const std::vector<EngineInfo> table = make_engines();
  return table;
}

}  // namespace regatta::sweep
