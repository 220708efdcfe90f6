#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "commands/commands.hpp"
#include "os/split_command.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

/// A sweep with the keys that people change most: engines, models, batch sizes, comparison, time.
constexpr const char* ready_sweep = R"({{
  "regatta": 1,
  "name": "{}",
  "axes": {{
    "engine": [{}],
    "mode":   ["eager", "graph"],
    "model":  ["mlp-10", "conv1d-small"],
    "batch":  {{"geometric": [1, 64], "factor": 8}}
  }},
  "compare": {{"over": ["engine", "mode"], "baseline": {{"engine": "native", "mode": "graph"}}}},
  "measure": {{"margin": "1%", "total": "5m"}}
}}
)";

/// All engines that run models; engines that may be missing are optional.
std::string engines_to_try() {
  std::string names;
  for (const sweep::EngineInfo& engine : sweep::engine_table()) {
    if (engine.worker == sweep::WorkerKind::program) continue;
    const std::string_view optional = engine.install.empty() ? "" : "?";
    names += fmt::format("{}\"{}{}\"", names.empty() ? "" : ", ", engine.name, optional);
  }
  return names;
}

void check_name(const std::string& name) {
  if (sweep::is_sweep_name(name)) return;
  throw InputError(fmt::format("init: found '{}', expected {}, such as first", name, sweep::sweep_name_rule()));
}

}  // namespace

std::string sweep_to_edit(const std::string& name) {
  check_name(name);
  return fmt::format(ready_sweep, name, engines_to_try());
}

namespace {

/// {NAME}s of a command line, each once.
std::vector<std::string> axes_in(const std::string& command) {
  std::vector<std::string> names;
  for (const std::string& name : sweep::placeholders_of(command)) {
    if (std::ranges::find(names, name) != names.end()) continue;
    if (name != "threads" && !sweep::may_be_axis_of_program(name))
      throw InputError(
          fmt::format("init: {{{0}}} cannot be an axis of a program; choose another name, such as {0}_", name));
    names.push_back(name);
  }
  return names;
}

}  // namespace

std::string sweep_of_command(const std::string& name, const std::string& command) {
  check_name(name);
  const std::vector<std::string> words = split_words(command);
  std::string argv;
  for (const std::string& word : words) argv += (argv.empty() ? "" : ", ") + in_quotes(word);
  const std::vector<std::string> axes = axes_in(command);
  std::string levels;
  for (const std::string& axis : axes)
    levels += fmt::format(",\n    {}: [1, 2, 4]  /* what {{{}}} stands for: numbers, texts or a range */",
                          in_quotes(axis), axis);
  const std::string compare =
      axes.empty()
          ? ""
          : fmt::format("  \"compare\": {{\"over\": {0}, \"baseline\": {{{0}: 1}}}},\n", in_quotes(axes.front()));
  return fmt::format(R"({{
  "regatta": 1,
  "name": "{0}",
  // Without a shell; {{NAME}} is the value of the axis NAME. A second entry is a second program to compare with.
  // Add "results": ["error"] to collect a number that it prints as JSON, and see what else it may print:
  // docs/guide/any-program.md. Without "results" its times alone are known.
  "commands": {{"{1}": {{"argv": [{2}]}}}},
  "axes": {{
    "engine": "command",
    "command": "{1}"{3}
  }},
{4}  "measure": {{"margin": "1%", "total": "5m"}}
}}
)",
                     name, plain_name(words.front(), "mine"), argv, levels, compare);
}

std::string sweep_of_loop(const std::string& name, const std::string& file, const std::string& engine) {
  check_name(name);
  if (!file.ends_with(".py"))
    throw InputError(fmt::format("init: '{}' is no Python file (its name ends in .py), which a loop has to be", file));
  constexpr std::uint64_t largest_source = std::uint64_t{16} << 20;  // bytes
  const std::string source = read_file(file, largest_source);
  if (source.find("regatta.steps") == std::string::npos)
    throw InputError(
        fmt::format("init: '{}' does not count its steps (nothing could be timed); put `for step in regatta.steps():` "
                    "around what one step does, as docs/guide/your-loop.md shows",
                    file));
  const std::string runs = engine.empty() ? engine_of_source(source).value_or("numpy") : engine;
  return fmt::format(R"({{
  "regatta": 1,
  "name": "{0}",
  "axes": {{
    "engine": ["{1}@loop", "{1}@again"],
    "model":  {{"name": "{2}", "python": {3}}}{4}
  }},
  // Two ways to run the loop, to be compared. The second is the same yet: change a word of it, as in --fast.
  "environments": {{
    "loop":  {{"engine": "{1}", "program": ["python3", {3}]}},
    "again": {{"engine": "{1}", "program": ["python3", {3}]}}
  }},
  "compare": {{"over": "engine", "baseline": {{"engine": "{1}@loop"}}}},
  "measure": {{"margin": "1%", "total": "5m"}}
}}
)",
                     name, runs, plain_name(file, "mine"), in_quotes(file),
                     source.find("batch") == std::string::npos ? "" : ",\n    \"batch\":  [32, 256]");
}

}  // namespace regatta::launcher
