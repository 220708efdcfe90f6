#include "environments.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <csignal>

#include "job.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/sweep/reader.hpp"
#include "spawn_process.hpp"

namespace regatta::launcher {
namespace {

constexpr double probe_timeout_seconds = 10;

/// Ends a program that does not end by itself. True if it exited with status 0 in time.
bool succeeds(const std::vector<std::string>& argv) {
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const ChildStart start = spawn_process({argv, {}, {}, 0, null.get(), null.get(), null.get(), -1});
  if (start.pid < 0) return false;
  const Deadline deadline = Deadline::after(probe_timeout_seconds);
  int status = 0;
  while (::waitpid(start.pid, &status, WNOHANG) == 0) {
    if (deadline.passed()) {
      ::kill(-start.pid, SIGKILL);
      ::waitpid(start.pid, &status, 0);
      return false;
    }
    ::usleep(1000);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool can_import(const std::string& python, const std::string& module) {
  return succeeds({python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('" + module + "') is None)"});
}

// Libraries that start threads of their own read these when they are loaded.
std::map<std::string, std::string> python_variables(const EnvironmentPlaces& places, std::int64_t threads) {
  const std::string count = std::to_string(threads);
  return {{"PYTHONPATH", places.python_package.string()}, {"PYTHONDONTWRITEBYTECODE", "1"}, {"PYTHONUNBUFFERED", "1"},
          {"OMP_NUM_THREADS", count}, {"OPENBLAS_NUM_THREADS", count}, {"MKL_NUM_THREADS", count}};
}

WorkerProgram python_program(const EnvironmentPlaces& places, const std::string& name, const std::string& python, std::int64_t threads) {
  return {name, {python, "-m", "regatta_worker"}, python_variables(places, threads)};
}

// A named environment: a program that speaks the protocol, or an interpreter with the engine in it.
std::variant<WorkerProgram, MissingEnvironment> from_environment(const EnvironmentPlaces& places, const sweep::Environment& environment,
                                                                 std::int64_t threads) {
  WorkerProgram program;
  if (!environment.program.empty()) {
    program = {environment.name, environment.program, {}};
  } else if (environment.engine == "native") {
    return MissingEnvironment{fmt::format("the environment {} names no program for the engine native; add \"program\"", environment.name)};
  } else if (::access(environment.python.c_str(), X_OK) != 0) {
    return MissingEnvironment{fmt::format("the interpreter {} of environment {} cannot be executed; create it, or correct its path", environment.python, environment.name)};
  } else {
    program = python_program(places, environment.name, environment.python, threads);
  }
  for (const auto& [name, value] : environment.variables) program.variables[name] = value;
  return program;
}

}  // namespace

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

std::map<std::string, sweep::Environment> read_environments(const std::filesystem::path& file) {
  // The reader of sweeps reads these too; what stands before them adds no line, so that errors name the right one.
  const std::string text = read_file(file);
  return sweep::parse_sweep(R"({"regatta": 1, "name": "environments", "axes": {"model": ["noop"]}, "environments": )" + text + "}", file).environments;
}

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

std::variant<WorkerProgram, MissingEnvironment> EnvironmentResolver::resolve(const sweep::EngineName& name, std::int64_t threads) {
  const std::string environment(name.environment);
  const std::string engine(name.engine);
  if (!environment.empty()) {
    for (const auto* table : {&places_.from_file, &places_.from_sweep}) {
      if (const auto found = table->find(environment); found != table->end()) return from_environment(places_, found->second, threads);
    }
    const auto python = places_.cache / environment / "bin" / "python";
    return from_environment(places_, {environment, engine, python.string(), {}, {}}, threads);
  }
  if (engine == "native") return WorkerProgram{"native", {places_.native_worker.string()}, {}};
  if (const auto python = interpreter_with(engine)) return python_program(places_, engine, *python, threads);
  return MissingEnvironment{fmt::format("{} is not installed for {}; install it (Debian: apt-get install python3-{}), or name an environment",
                                        engine, fmt::join(places_.interpreters, " or "), engine)};
}

}  // namespace regatta::launcher
