#include "children/installations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#include "os/ask_program.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

constexpr double probe_timeout_seconds = 10;
constexpr std::string_view python_prefix = "python@";

// Python looks for modules in the current folder first, also with -m. There a token.py would run in place of Python's
// own. A model of the user's may still import what only this folder has: it is asked last.
constexpr const char* run_worker =
    "import sys; sys.path.sort(key=lambda place: not place); del sys.argv[0]; import runpy; "
    "runpy.run_module('regatta_worker', run_name='__main__', alter_sys=True)";

using Found = std::variant<WorkerProgram, MissingEnvironment>;

std::string cached_python(const std::filesystem::path& cache, const std::string& name) {
  return (cache / name / "bin" / "python").string();
}

bool can_import(const std::string& python, const std::string& module) {
  const std::string question = "import importlib.util; sys.exit(importlib.util.find_spec('" + module + "') is None)";
  return output_of(python_question(python, question), {}, probe_timeout_seconds).has_value();
}

// Libraries that start threads of their own read these when they are loaded.
std::map<std::string, std::string> python_variables(const EnvironmentPlaces& places, std::int64_t threads) {
  const std::string count = std::to_string(threads);
  return {{"PYTHONPATH", places.python_package.string()},
          {"PYTHONDONTWRITEBYTECODE", "1"},
          {"PYTHONUNBUFFERED", "1"},
          {"OMP_NUM_THREADS", count},
          {"OPENBLAS_NUM_THREADS", count},
          {"MKL_NUM_THREADS", count}};
}

WorkerProgram python_program(const EnvironmentPlaces& places, const std::string& name, const std::string& engine,
                             const std::string& python, std::int64_t threads) {
  WorkerProgram program = {
      name, {python, "-c", run_worker, "regatta_worker", "--engine", engine}, python_variables(places, threads)};
  program.code = WorkerCode::package;
  return program;
}

Found program_of(const EnvironmentPlaces& places, const sweep::Environment& environment, const std::string& engine,
                 std::int64_t threads) {
  if (environment.engine != engine) {
    return MissingEnvironment{fmt::format("the environment {} is an installation of {}, not of {}; write {}@{}",
                                          environment.name, environment.engine, engine, environment.engine,
                                          environment.name)};
  }
  WorkerProgram program;
  if (!environment.program.empty()) {
    program = {environment.name, environment.program, {}};
  } else if (sweep::has_worker(engine, sweep::WorkerKind::native)) {
    return MissingEnvironment{fmt::format("the environment {} names no program for the engine {}; add \"program\"",
                                          environment.name, engine)};
  } else {
    program = python_program(places, environment.name, engine, environment.python, threads);
  }
  const std::string& executable = program.argv.front();
  if (!find_program(executable)) {
    return MissingEnvironment{fmt::format(
        "'{}' of the environment {} cannot be executed; create it, or correct its path", executable, environment.name)};
  }
  for (const auto& [name, value] : environment.variables) program.variables[name] = value;
  program.declared = environment.variables;
  return program;
}

/// "3.6" of a Python that is too old for the worker; empty where it is not, or does not say.
std::string too_old_version(const std::string& python) {
  constexpr const char* question =
      "sys.stdout.write('%d.%d %d' % (sys.version_info[:2] + (sys.version_info < (3, 7),)))";
  const std::string answer = output_of(python_question(python, question), {}, probe_timeout_seconds).value_or("");
  return answer.ends_with(" 1") ? answer.substr(0, answer.find(' ')) : "";
}

Found not_installed(const std::string& engine, const std::vector<std::string>& interpreters) {
  const sweep::EngineInfo* row = sweep::find_engine(engine);
  expect(row != nullptr, "an engine of the table is looked for");
  return MissingEnvironment{fmt::format("{} is not installed for {}; {}, or name an environment", engine,
                                        fmt::join(interpreters, " or "), row->install)};
}

}  // namespace

std::vector<std::string> python_question(const std::string& python, const std::string& code) {
  return {python, "-c", "import sys; sys.path[:] = [p for p in sys.path if p]\n" + code};
}

std::string settings_at_import(const sweep::Parameters& parameters) {
  const bool is_v1 = parameters[sweep::Param::mode] == sweep::Value(std::string("v1-session"));
  const bool is_on_gpu = parameters[sweep::Param::device] == sweep::Value(std::string("cuda"));
  return std::string(is_v1 ? "eager off" : "") + (is_on_gpu ? " on the GPU" : "");
}

EnvironmentPlaces default_places() {
  EnvironmentPlaces places;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache != '\0') {
    places.cache = std::filesystem::path(cache) / "regatta" / "engines";
  } else if (home != nullptr) {
    places.cache = std::filesystem::path(home) / ".cache" / "regatta" / "engines";
  }
  places.interpreters = {"python3", "/usr/bin/python3"};
  places.native_worker = executable_folder() / "regatta-worker";
  places.python_package = share_folder() / "python";
  return places;
}

std::map<std::string, sweep::Environment> parse_environments(const std::string& text,
                                                             const std::filesystem::path& file) {
  const bool ends_in_comment = text.substr(text.rfind('\n') + 1).find("//") != std::string::npos;
  // The reader of sweeps reads these too; what stands before them adds no line, so that errors name the right one.
  return sweep::parse_sweep(R"({"regatta": 1, "name": "environments", "axes": {"model": ["noop"]}, "environments": )" +
                                text + (ends_in_comment ? "\n}" : "}"),
                            file)
      .environments;
}

std::set<std::string> cached_environments(const std::filesystem::path& cache) {
  std::set<std::string> names;
  std::error_code error;  // no cache: no environments
  for (const auto& entry : std::filesystem::directory_iterator(cache, error)) {
    if (find_program(cached_python(cache, entry.path().filename()))) names.insert(entry.path().filename());
  }
  return names;
}

std::set<std::string> locked_environments() {
  std::set<std::string> names;
  std::istringstream words(REGATTA_LOCKED_ENVIRONMENTS);
  for (std::string name; words >> name;) names.insert(name);
  return names;
}

bool asks_for_python(const std::string& word) { return word.starts_with(python_prefix); }

bool is_program_here(const std::string& word) { return find_program(word).has_value(); }

namespace {

/// Whatever Python there is, which says nothing about what it can import.
bool is_any_python(const std::string& word) { return word == "python3" || word == "python"; }

}  // namespace

std::optional<std::string> EnvironmentResolver::interpreter_with(const std::string& module) {
  const auto [entry, fresh] = found_.try_emplace(module);
  if (!fresh) return entry->second;
  for (const std::string& python : places_.interpreters) {
    if (can_import(python, module)) {
      entry->second = python;
      break;
    }
  }
  return entry->second;
}

const sweep::Environment* EnvironmentResolver::declared(const std::string& name) const {
  for (const auto* table : {&places_.from_file, &places_.from_sweep}) {
    const auto found = table->find(name);
    if (found != table->end()) return &found->second;
  }
  return nullptr;
}

std::variant<std::string, MissingEnvironment> EnvironmentResolver::python_of(const std::string& word) {
  const std::string name = word.substr(python_prefix.size());
  const sweep::Environment* environment = declared(name);
  if (environment != nullptr && !environment->python.empty()) return environment->python;
  std::string python = cached_python(places_.cache, name);
  if (find_program(python)) return python;
  if (sweep::has_worker(name, sweep::WorkerKind::python)) {
    if (const auto found = interpreter_with(name)) return *found;
  }
  return MissingEnvironment{
      fmt::format("{}: no environment {} with a \"python\" is declared, there is no {}, and no engine {} was found",
                  word, name, python, name)};
}

/// A script that is said to be of an engine needs its modules: the Python in PATH if it has them, else the one that the
/// engine itself runs in.
std::string EnvironmentResolver::python_with(const std::string& word, const std::string& engine) {
  if (!sweep::has_worker(engine, sweep::WorkerKind::python)) return word;
  const auto [entry, fresh] = capable_.try_emplace({word, engine}, word);
  if (!fresh || can_import(word, engine)) return entry->second;
  const auto found = python_of(std::string(python_prefix) + engine);
  if (const auto* python = std::get_if<std::string>(&found)) entry->second = *python;
  return entry->second;
}

Found EnvironmentResolver::resolve_named(const std::string& engine, const std::string& name, std::int64_t threads) {
  if (const sweep::Environment* found = declared(name)) {
    sweep::Environment environment = *found;
    if (!environment.program.empty() && asks_for_python(environment.program.front())) {
      auto asked = python_of(environment.program.front());
      if (auto* missing = std::get_if<MissingEnvironment>(&asked)) return std::move(*missing);
      environment.program.front() = std::get<std::string>(std::move(asked));
    } else if (!environment.program.empty() && is_any_python(environment.program.front())) {
      environment.program.front() = python_with(environment.program.front(), engine);
    }
    if (environment.program.empty() && environment.engine == engine) {
      const auto [known, fresh] = too_old_.try_emplace(environment.python);
      if (fresh) known->second = too_old_version(environment.python);
      if (!known->second.empty())
        return MissingEnvironment{fmt::format(
            "the environment {} is Python {}, and Regatta's worker needs 3.7 or newer", name, known->second)};
    }
    return program_of(places_, environment, engine, threads);
  }
  const std::string python = cached_python(places_.cache, name);
  if (sweep::has_worker(engine, sweep::WorkerKind::python) && find_program(python)) {
    return program_of(places_, {name, engine, python, {}, {}}, engine, threads);
  }
  if (locked_environments().contains(name))
    return MissingEnvironment{
        fmt::format("{} is not installed; bash scripts/setup-engines.sh {} installs it", name, name)};
  return MissingEnvironment{fmt::format(
      "no environment {}: neither the --environments file nor the sweep declares it, and there is no {}; declare it",
      name, python)};
}

Found EnvironmentResolver::resolve(const sweep::EngineName& name, std::int64_t threads) {
  const std::string engine(name.engine);
  if (!name.environment.empty()) return resolve_named(engine, std::string(name.environment), threads);
  if (sweep::has_worker(engine, sweep::WorkerKind::native))
    return WorkerProgram{engine, {places_.native_worker.string()}, {}, {}, WorkerCode::native};
  const std::string own_python = cached_python(places_.cache, engine);
  if (find_program(own_python)) return python_program(places_, engine, engine, own_python, threads);
  const std::optional<std::string> python = interpreter_with(engine);
  return python ? python_program(places_, engine, engine, *python, threads)
                : not_installed(engine, places_.interpreters);
}

}  // namespace regatta::launcher
