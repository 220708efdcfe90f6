#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "commands/commands.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/sweep/reader.hpp"

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
  "compare": {"over": ["mode", "input", "threads"], "baseline": {"mode": "eager", "input": "array", "threads": "all"}},)";

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
  "compare": {"over": ["mode", "loop", "steps_per_call", "input", "threads"],
              "baseline": {"mode": "graph", "loop": "train_on_batch", "input": "array", "threads": "all"}},)";

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
  "compare": {"over": ["mode", "input", "threads"], "baseline": {"mode": "graph", "input": "array", "threads": "all"}},)";

struct Framework {
  std::string_view engine;
  std::array<std::string_view, 2> modules;
  std::string_view factors;
};

constexpr std::array<Framework, 3> frameworks = {{{"torch", {"torch", "torch"}, torch_factors},
                                                  {"tensorflow", {"tensorflow", "keras"}, tensorflow_factors},
                                                  {"jax", {"jax", "flax"}, jax_factors}}};

/// "torch" of "import torch.nn as nn" and of "from torch import nn", "numpy" and "torch" of "import numpy, torch"; none
/// of other lines.
std::vector<std::string_view> imported_modules(std::string_view line) {
  std::vector<std::string_view> modules;
  const auto name_at_front = [](std::string_view text) { return text.substr(0, text.find_first_of(" .,;#\r")); };
  if (line.starts_with("from ")) return {name_at_front(line.substr(5))};
  if (!line.starts_with("import ")) return modules;
  std::string_view rest = line.substr(7);
  rest = rest.substr(0, rest.find_first_of(";#\r"));
  while (!rest.empty()) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    modules.push_back(name_at_front(rest));
    rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
  }
  return modules;
}

const Framework& framework_of(const std::string& file, std::string_view source, const std::string& asked) {
  const std::string named = asked == "keras" ? "tensorflow" : asked;
  const auto imported = engine_of_source(source);
  const std::string engine = named.empty() ? imported.value_or("") : named;
  const auto found = std::ranges::find(frameworks, engine, &Framework::engine);
  if (found != frameworks.end() && imported && *imported != engine) {
    throw InputError(
        fmt::format("init: '{0}' imports {1}, and --engine {2} cannot run models of {1}; leave --engine out, or name "
                    "the file that is for {2}",
                    file, *imported, asked));
  }
  if (found != frameworks.end()) return *found;
  if (!asked.empty()) {
    throw InputError(fmt::format(
        "init: found --engine {}, expected torch, tensorflow (also for keras) or jax (they run models of your own)",
        asked));
  }
  throw InputError(
      fmt::format("init: which framework '{}' is for is not clear (it imports none or several of torch, tensorflow, "
                  "keras, jax and flax); name it: --engine torch",
                  file));
}

/// However it comes into the file: defined, imported or assigned.
void check_function(const std::string& file, std::string_view source, std::string_view function) {
  if (source.find(function) != std::string_view::npos) return;
  throw InputError(
      fmt::format("init: '{}' has no function {} (a sweep builds the model and its batches by build and make_batch); "
                  "docs/guide/your-model.md shows both",
                  file, function));
}

}  // namespace

std::string plain_name(const std::string& path, const std::string& otherwise) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_') letter = '-';
  }
  return sweep::is_sweep_name(name) ? name : otherwise;
}

std::string in_quotes(const std::string& text) {
  if (!is_utf8(text)) throw InputError(fmt::format("init: '{}' is not in UTF-8 (a sweep file is); rename it", text));
  return nlohmann::json(text).dump();
}

std::optional<std::string> engine_of_source(std::string_view source) {
  std::set<std::string_view> engines;
  while (!source.empty()) {
    const std::string_view line = source.substr(0, source.find('\n'));
    for (const std::string_view module : imported_modules(line)) {
      for (const Framework& framework : frameworks)
        if (std::ranges::find(framework.modules, module) != framework.modules.end()) engines.insert(framework.engine);
    }
    source.remove_prefix(std::min(line.size() + 1, source.size()));
  }
  if (engines.size() != 1) return std::nullopt;
  return std::string(*engines.begin());
}

std::string sweep_of_model(const std::string& name, const std::string& file, const std::string& engine) {
  if (!file.ends_with(".py"))
    throw InputError(fmt::format("init: '{}' is no Python file (its name ends in .py), which a model has to be", file));
  const std::string source = read_file(file, largest_source);
  const Framework& framework = framework_of(file, source, engine);
  for (const std::string_view function : {"build", "make_batch"}) check_function(file, source, function);
  return fmt::format(R"({{
  "regatta": 1,
  "name": "{0}",
  "axes": {{
    "engine":  "{1}",
    "model":   {{"name": {2}, "python": {3}, "batch": {4}}},{5}
  "measure": {{"margin": "2%", "half_width": "5%", "total": "4m"}}
}}
)",
                     name, framework.engine, in_quotes(plain_name(file, "model")), in_quotes(file + ":build"),
                     in_quotes(file + ":make_batch"), framework.factors);
}

}  // namespace regatta::launcher
