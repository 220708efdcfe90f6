#include "commands/init_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {
namespace {

constexpr std::uint64_t largest_source = std::uint64_t{16} << 20;  // bytes

/// Every cell differs in one thing from the first.
constexpr std::string_view torch_factors = R"(
    "mode":    ["eager", "graph"],
    "input":   "array",
    "batch":   32,
    "threads": "all"
  },
  "include": [
    {"mode": "eager", "input": ["resident", "pipeline"]},
    {"mode": "eager", "threads": 1}
  ],
  "compare": {"over": ["mode", "input"], "baseline": {"mode": "eager", "input": "array"}},)";

constexpr std::string_view tensorflow_factors = R"(
    "mode":    ["graph", "eager", "xla"],
    "loop":    ["train_on_batch", "fit"],
    "input":   "array",
    "batch":   32,
    "threads": "all"
  },
  "when": [{"if": {"loop": "fit"}, "axes": {"steps_per_call": [1, 16]}}],
  "exclude": [{"loop": "fit", "mode": ["eager", "xla"]}],
  "include": [
    {"mode": "graph", "loop": "train_on_batch", "input": "pipeline"},
    {"mode": "graph", "loop": "train_on_batch", "threads": 1}
  ],
  "compare": {"over": ["mode", "loop", "steps_per_call", "input"],
              "baseline": {"mode": "graph", "loop": "train_on_batch", "input": "array"}},)";

constexpr std::string_view jax_factors = R"(
    "mode":    ["graph", "eager"],
    "input":   "array",
    "batch":   32,
    "threads": "all"
  },
  "include": [
    {"mode": "graph", "input": "resident"},
    {"mode": "graph", "threads": 1}
  ],
  "compare": {"over": ["mode", "input"], "baseline": {"mode": "graph", "input": "array"}},)";

struct Framework {
  std::string_view engine;
  std::array<std::string_view, 2> modules;
  std::string_view factors;
};

constexpr std::array<Framework, 3> frameworks = {{{"torch", {"torch", "torch"}, torch_factors},
                                                  {"tensorflow", {"tensorflow", "keras"}, tensorflow_factors},
                                                  {"jax", {"jax", "flax"}, jax_factors}}};

/// "torch" of "import torch.nn as nn" and of "from torch import nn"; empty for other lines.
std::string_view imported_module(std::string_view line) {
  for (const std::string_view word : {"import ", "from "}) {
    if (!line.starts_with(word)) continue;
    const std::string_view name = line.substr(word.size());
    return name.substr(0, name.find_first_of(" .,;#\r"));
  }
  return {};
}

const Framework& framework_of(const std::string& file, std::string_view source, const std::string& asked) {
  const std::string engine = asked.empty() ? engine_of_source(source).value_or("") : asked;
  const auto found = std::ranges::find(frameworks, engine, &Framework::engine);
  if (found != frameworks.end()) return *found;
  if (!asked.empty())
    throw InputError(
        fmt::format("init: found --engine {}, expected torch, tensorflow or jax (they run models of your own)", asked));
  throw InputError(
      fmt::format("init: '{}' does not import one of torch, tensorflow or jax, so its framework is not known; name it: "
                  "--engine torch",
                  file));
}

void check_function(const std::string& file, std::string_view source, std::string_view function) {
  const std::string begin = fmt::format("def {}(", function);
  if (source.starts_with(begin) || source.find("\n" + begin) != std::string_view::npos) return;
  throw InputError(
      fmt::format("init: '{}' has no function {} (a sweep builds the model and its batches by build and make_batch); "
                  "docs/your-model.md shows both",
                  file, function));
}

}  // namespace

std::optional<std::string> engine_of_source(std::string_view source) {
  std::set<std::string_view> engines;
  while (!source.empty()) {
    const std::string_view line = source.substr(0, source.find('\n'));
    const std::string_view module = imported_module(line);
    for (const Framework& framework : frameworks) {
      if (std::ranges::find(framework.modules, module) != framework.modules.end()) engines.insert(framework.engine);
    }
    source.remove_prefix(std::min(line.size() + 1, source.size()));
  }
  if (engines.size() != 1) return std::nullopt;
  return std::string(*engines.begin());
}

std::string sweep_of_model(const std::string& name, const std::string& file, const std::string& engine) {
  const std::string source = read_file(file, largest_source);
  const Framework& framework = framework_of(file, source, engine);
  for (const std::string_view function : {"build", "make_batch"}) check_function(file, source, function);
  return fmt::format(R"({{
  "regatta": 1,
  "name": "{0}",
  "axes": {{
    "engine":  "{1}",
    "model":   {{"python": "{2}:build", "batch": "{2}:make_batch"}},{3}
  "measure": {{"margin": "2%", "half_width": "5%", "per_contrast": "15s", "total": "4m"}}
}}
)",
                     name, framework.engine, file, framework.factors);
}

}  // namespace regatta::launcher
