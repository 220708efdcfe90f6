#include "regatta/sweep/engines.hpp"

#include <algorithm>

#include "doctor/doctor.hpp"
#include "os/ask_program.hpp"

namespace regatta::launcher {
namespace {

constexpr double version_timeout_seconds = 60;  // the first import of a large framework reads gigabytes

std::string last_word(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.find_last_of(" \n") + 1);
}

EngineFound row_of(const sweep::EngineInfo& engine, const std::string& environment) {
  return {std::string(engine.name),
          environment,
          "",
          {engine.modes.begin(), engine.modes.end()},
          {engine.devices.begin(), engine.devices.end()},
          ""};
}

EngineFound examined(const sweep::EngineInfo& engine, const WorkerProgram& program) {
  EngineFound row = row_of(engine, program.environment);
  std::vector<std::string> question = {program.argv.front(), "--version"};
  if (engine.worker == sweep::WorkerKind::python) {
    question = python_question(program.argv.front(), "import " + row.name + "; print(" + row.name + ".__version__)");
  }
  const auto answer = output_of(question, program.variables, version_timeout_seconds);
  if (answer) {
    row.version = last_word(*answer);
  } else {
    row.problem =
        "'" + program.argv.front() + "' does not tell its version; run it by hand to see why, then install it again";
  }
  return row;
}

EngineFound find_engine_here(EnvironmentResolver& resolver, const sweep::EngineInfo& engine) {
  if (engine.worker == sweep::WorkerKind::program) return row_of(engine, std::string(engine.name));
  const auto found = resolver.resolve({engine.name, ""}, 1);
  if (const auto* program = std::get_if<WorkerProgram>(&found)) return examined(engine, *program);
  EngineFound row = row_of(engine, "");
  row.problem = std::get<MissingEnvironment>(found).reason;
  return row;
}

}  // namespace

std::vector<EngineFound> find_engines(const EnvironmentPlaces& places) {
  EnvironmentResolver resolver(places);
  std::vector<EngineFound> rows;
  for (const sweep::EngineInfo& engine : sweep::engine_table()) rows.push_back(find_engine_here(resolver, engine));
  for (const std::string& name : cached_environments(places.cache)) {
    for (const sweep::EngineInfo& engine : sweep::engine_table()) {
      // An environment of the engine's own name stands above.
      if (engine.worker != sweep::WorkerKind::python || name == engine.name) continue;
      const auto found = resolver.resolve({engine.name, name}, 1);
      const auto* program = std::get_if<WorkerProgram>(&found);
      if (program == nullptr) continue;
      EngineFound row = examined(engine, *program);
      if (row.problem.empty()) rows.push_back(std::move(row));  // else it is an installation of another engine
    }
  }
  return rows;
}

}  // namespace regatta::launcher
