#include "regatta/sweep/engines.hpp"

#include <algorithm>

namespace regatta::sweep {
namespace {

using Names = std::vector<std::string_view>;

std::vector<EngineInfo> make_engines() {
  const Names cpu = {"cpu"};
  const Names held = {"array", "resident"};
  const Names fed = {"array", "pipeline", "resident"};
  const Names fp32 = {"fp32"};
  const Names compiled = {"eager", "graph"};
  const Names keras_loops = {"custom", "train_on_batch", "fit", "predict_on_batch", "predict"};
  const Names apis = {"keras", "tf_keras"};
  return {
      {"native", compiled, cpu, {"custom"}, {}, {"array"}, {"fp32", "bf16"}},
      {"torch", compiled, cpu, {"custom"}, {}, fed, fp32},
      {"tensorflow", {"eager", "graph", "xla", "v1-session"}, cpu, keras_loops, apis, fed, fp32},
      {"jax", compiled, cpu, {"custom"}, {}, held, fp32},
      {"numpy", {"eager"}, cpu, {"custom"}, {}, {"array"}, fp32},
      {"command", {}, {}, {}, {}, {}, {}},
  };
}

}  // namespace

const std::vector<EngineInfo>& engine_table() {
  static const std::vector<EngineInfo> table = make_engines();
  return table;
}

const EngineInfo* find_engine(std::string_view name) {
  const auto& table = engine_table();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const EngineInfo& engine) { return engine.name == name; });
  return row == table.end() ? nullptr : &*row;
}

bool runs_in_python(std::string_view engine) { return engine != "native" && engine != "command"; }

}  // namespace regatta::sweep
