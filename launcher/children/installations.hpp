// From an engine's name to the program that runs it: which installation, which interpreter.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

/// The author of the code that a worker runs: Regatta, or somebody else.
enum class WorkerCode : std::uint8_t { of_others, native, package };

/// How to start a worker.
struct WorkerProgram {
  std::string environment;  ///< name of the installation, for the results
  std::vector<std::string> argv;
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> declared = {};  ///< the variables that its environment names
  WorkerCode code = WorkerCode::of_others;           ///< `package`: Python with regatta_worker
};

/// Trials that may share a worker process.
struct ProcessKey {
  std::string environment;
  std::string engine;
  std::int64_t threads = 1;
  std::uint32_t place = 0;     ///< 0: shared; else of one arm of a comparison, by its place in the block from 1
  std::string at_import = {};  ///< settings that a process takes on once and for all, see settings_at_import
  auto operator<=>(const ProcessKey&) const = default;
};

/// A command line that has Python run `code`, which may use `sys`, in a folder that may be anybody's: it is no place
/// for modules. More arguments may follow.
std::vector<std::string> python_question(const std::string& python, const std::string& code);

/// The settings that a process cannot take back once it has prepared this trial. TensorFlow without its eager mode
/// stays without it. A framework that was shown a GPU has taken memory and threads for it.
std::string settings_at_import(const sweep::Parameters& parameters);

/// There is no such installation here: the trial is skipped.
struct MissingEnvironment {
  std::string reason;
};

/// Where installations are looked for, in this order.
struct EnvironmentPlaces {
  std::map<std::string, sweep::Environment> from_file;  ///< --environments
  std::map<std::string, sweep::Environment> from_sweep;
  std::filesystem::path cache;            ///< NAME/bin/python inside
  std::vector<std::string> interpreters;  ///< tried for an engine without a named environment
  std::filesystem::path native_worker;
  std::filesystem::path python_package;  ///< folder that holds regatta_worker/
};

/// The user's places: cache under XDG_CACHE_HOME, `python3` in PATH, /usr/bin/python3, and our own files.
EnvironmentPlaces default_places();

/// {"NAME": {"engine": ..., "python": ...}} as in a sweep's "environments"; `file` names it in errors and anchors
/// relative paths. Throws InputError.
std::map<std::string, sweep::Environment> parse_environments(const std::string& text,
                                                             const std::filesystem::path& file);

/// The environments NAME of a cache folder: those that hold NAME/bin/python.
std::set<std::string> cached_environments(const std::filesystem::path& cache);

/// The environments that scripts/setup-engines.sh can install: "tensorflow-2.1".
std::set<std::string> locked_environments();

/// Whether this first word of a program asks for an installation's interpreter: "python@torch".
bool asks_for_python(const std::string& word);

/// Whether this first word of a program names an executable file, by its path or in PATH.
bool is_program_here(const std::string& word);

class EnvironmentResolver {
 public:
  explicit EnvironmentResolver(EnvironmentPlaces places) : places_(std::move(places)) {}

  /// The program for `engine` or `engine@name` with so many compute threads.
  std::variant<WorkerProgram, MissingEnvironment> resolve(const sweep::EngineName& name, std::int64_t threads);

  /// The interpreter that "python@NAME" asks for: of the environment of this name, or of the engine.
  std::variant<std::string, MissingEnvironment> python_of(const std::string& word);

 private:
  std::variant<WorkerProgram, MissingEnvironment> resolve_named(const std::string& engine, const std::string& name,
                                                                std::int64_t threads);
  [[nodiscard]] const sweep::Environment* declared(const std::string& name) const;
  std::optional<std::string> interpreter_with(const std::string& module);
  std::string python_with(const std::string& word, const std::string& engine);

  EnvironmentPlaces places_;
  std::map<std::string, std::optional<std::string>> found_;  ///< interpreter by module
  std::map<std::string, std::string> too_old_;               ///< its version, by interpreter; empty: it is not
  std::map<std::pair<std::string, std::string>, std::string> capable_;  ///< by word of a program and engine
};

}  // namespace regatta::launcher
