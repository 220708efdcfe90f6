#include "commands/init_sweep.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "commands/init_model.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

constexpr std::string_view suffix = ".json";

/// What people change most: engines, models, batch sizes, what is compared, how long.
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
  "measure": {{"margin": "1%", "per_contrast": "5s", "total": "5m"}}
}}
)";

/// All engines that run models; those that may be missing are optional.
std::string engines_to_try() {
  std::string names;
  for (const sweep::EngineInfo& engine : sweep::engine_table()) {
    if (engine.worker == sweep::WorkerKind::program) continue;
    const std::string_view optional = engine.install.empty() ? "" : "?";
    names += fmt::format("{}\"{}{}\"", names.empty() ? "" : ", ", engine.name, optional);
  }
  return names;
}

[[noreturn]] void refuse_to_write(const std::string& file) {
  if (errno == EEXIST) {
    throw InputError(
        fmt::format("'{0}' is there already (somebody's work is not overwritten); choose another name, or "
                    "edit it: `regatta plan {0}` shows what it means",
                    file));
  }
  throw InputError(
      fmt::format("cannot write '{}': {}; run this in a folder that you may write to", file, std::strerror(errno)));
}

void write_new_file(const std::string& file, const std::string& text) {
  constexpr int readable_by_all = 0644;
  const UniqueFd opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all));
  if (!opened) refuse_to_write(file);
  if (::write(opened.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return;
  const int why = errno;
  ::unlink(file.c_str());
  errno = why;
  refuse_to_write(file);
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

int init(const InitOptions& options) {
  const std::string& word = options.name;
  const std::string name = word.ends_with(suffix) ? word.substr(0, word.size() - suffix.size()) : word;
  check_name(name);
  if (options.model.empty() && !options.engine.empty())
    throw InputError("init: --engine is that of a model file; name the file too: --model my_model.py");
  const std::string text =
      options.model.empty() ? sweep_to_edit(name) : sweep_of_model(name, options.model, options.engine);
  const std::string file = name + std::string(suffix);
  write_new_file(file, text);
  fmt::print("{0} is a sweep to edit (docs/sweep-file.md). Then:\n  regatta plan {0}\n  regatta run {0}\n", file);
  return 0;
}

int schema() {
  fmt::print("{}", sweep::sweep_schema());
  return 0;
}

}  // namespace regatta::launcher
