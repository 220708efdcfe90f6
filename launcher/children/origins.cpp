#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "children/children.hpp"
#include "os/ask_program.hpp"
#include "regatta/base/crc32c.hpp"
#include "regatta/base/data_path.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/version.hpp"
#include "regatta/model/python_imports.hpp"
#include "regatta/sweep/origins.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {
namespace {

constexpr std::uint64_t most_read_bytes = std::uint64_t{1} << 30;
constexpr double answer_seconds = 10;
constexpr const char* absent = "none";

// A release changes its number or the file that a package is loaded from; no package is imported here.
constexpr const char* library_question = R"python(
import importlib.metadata, importlib.util, pathlib, zlib
print(sys.version.split()[0])
for name in sys.argv[1:]:
    spec = importlib.util.find_spec(name)
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = ""
    if spec is not None and spec.origin and spec.origin.endswith(".py"):
        version += " (%08x)" % zlib.crc32(pathlib.Path(spec.origin).read_bytes())
    print(version.strip() or "none")
)python";

/// The sweep's reader has refused inputs that cannot be read; of a program that cannot, its row will say so.
template <class State>
std::string readable_state(const std::string& path, const State& state) {
  try {
    return state(path);
  } catch (const InputError&) {
    return "not readable";
  }
}

std::string state_of_file(const std::filesystem::path& file) { return readable_state(file.string(), file_state); }

std::string contents_of(const std::string& name) { return "the contents of " + name; }

class OriginReader {
 public:
  OriginReader(const sweep::Sweep& sweep, EnvironmentResolver& environments)
      : sweep_(sweep),
        folder_(std::filesystem::absolute(sweep.file).parent_path().lexically_normal()),
        environments_(environments) {}

  sweep::Origin of_command(const sweep::Command& command) {
    sweep::Origin origin;
    const std::string& program = command.program_as_written.empty() ? command.argv[0] : command.program_as_written;
    if (asks_for_python(program))
      add_interpreter(origin, program);
    else
      origin[contents_of(program)] = state_of(command.argv[0]);
    if (!asks_for_python(program)) add_imports(origin, find_program(command.argv[0]).value_or(""));
    add_named_files(origin, command.argv);
    if (const auto inputs = sweep_.inputs.find(command.name); inputs != sweep_.inputs.end()) {
      for (const auto& [name, path] : inputs->second) origin["the contents of the input " + name] = state_of_file(path);
    }
    return origin;
  }

  /// Empty if it is not installed.
  sweep::Origin of_engine(const std::string& text) {
    const sweep::EngineName name = sweep::split_engine(text);
    const auto found = environments_.resolve(name, 1);
    const auto* program = std::get_if<WorkerProgram>(&found);
    if (program == nullptr) return {};
    const std::string called =
        name.environment.empty() ? std::string(name.engine) : "the environment " + program->environment;
    sweep::Origin origin;
    for (const auto& [variable, value] : program->declared)
      origin[fmt::format("the variable {} of {}", variable, called)] = to_string(hash128(value));
    if (program->code == WorkerCode::package)
      add_versions(origin, program->argv[0], program->variables, name.engine, called);
    else
      add_program(origin, *program, called, !name.environment.empty());
    return origin;
  }

  /// Files that the levels of its axes name, each an origin of its own: another level changes nothing about this trial.
  void add_placed_files(sweep::Origins& origins, const sweep::Trial& trial) {
    for (const std::string& word : placed_.of(trial)) {
      if (!words_.insert(word).second || !is_file(word)) continue;
      add_file(origins[sweep::origin_of_word(word)], word);
    }
  }

  void add_data(sweep::Origin& origin, const sweep::Dataset& dataset) {
    for (const auto& [called, file] : files_of(dataset)) origin[contents_of(called)] = readable_state(file, data_state);
  }

 private:
  /// Where people would look for it: beside the sweep, or where it is.
  [[nodiscard]] std::string shown(const std::string& path) const {
    const auto relative = std::filesystem::path(path).lexically_relative(folder_);
    const bool is_beside = path.starts_with('/') && !relative.empty() && *relative.begin() != "..";
    return is_beside ? relative.string() : path;
  }

  std::string state_of(const std::string& program) {
    const auto path = find_program(program);
    if (!path) return absent;
    const auto [known, is_new] = states_.try_emplace(*path);
    if (is_new) known->second = state_of_file(*path);
    return known->second;
  }

  /// Words behind the first that name files from where the run was started.
  void add_named_files(sweep::Origin& origin, const std::vector<std::string>& argv) {
    for (const std::string& name : sweep::words_for_files(argv)) {
      if (is_file(name)) add_file(origin, name);
    }
  }

  static bool is_file(const std::string& name) {
    std::error_code none;
    return std::filesystem::is_regular_file(name, none);
  }

  void add_file(sweep::Origin& origin, const std::string& name) {
    origin[contents_of(shown(name))] = state_of_file(name);
    add_imports(origin, name);
  }

  /// Adds the files that a Python script loads from its folder: they belong to it as much as its own text.
  void add_imports(sweep::Origin& origin, const std::string& script) const {
    if (!script.ends_with(".py")) return;
    for (const std::filesystem::path& file : model::local_imports(script))
      origin[contents_of(shown(file.string()))] = state_of_file(file);
  }

  /// Our own worker is the same wherever it is installed.
  void add_program(sweep::Origin& origin, const WorkerProgram& program, const std::string& called, bool is_declared) {
    std::vector<std::string> argv = program.argv;
    const std::string path = is_declared ? shown(argv[0]) : std::filesystem::path(argv[0]).filename().string();
    origin[contents_of(path)] = state_of(argv[0]);
    if (!is_declared) return;
    add_named_files(origin, argv);
    for (std::string& word : argv) word = shown(word);
    origin["the arguments of " + called] = to_string(hash128(fmt::format("{}", fmt::join(argv, "\n"))));
  }

  /// "python@torch", with the libraries of the engine if it names one.
  void add_interpreter(sweep::Origin& origin, const std::string& word) {
    auto found = environments_.python_of(word);
    if (const auto* python = std::get_if<std::string>(&found))
      add_versions(origin, *python, {}, word.substr(word.find('@') + 1), word);
    else
      origin["the interpreter of " + word] = absent;
  }

  void add_versions(sweep::Origin& origin, const std::string& python,
                    const std::map<std::string, std::string>& variables, std::string_view engine,
                    const std::string& called) {
    std::vector<std::string> question = python_question(python, library_question);
    const sweep::EngineInfo* row = sweep::find_engine(engine);
    const auto libraries = row == nullptr ? sweep::EngineInfo::Names() : row->libraries;
    question.insert(question.end(), libraries.begin(), libraries.end());
    std::istringstream answers(output_of(question, variables, answer_seconds).value_or(""));
    std::string version = absent;
    std::getline(answers, version);
    origin["the interpreter of " + called] = fmt::format("{} {}", shown(python), version);
    for (const std::string_view library : libraries) {
      version = absent;
      std::getline(answers, version);
      origin[fmt::format("the version of {} of {}", library, called)] = version;
    }
    origin["the version of Regatta"] = regatta_version();
  }

  const sweep::Sweep& sweep_;
  std::filesystem::path folder_;
  EnvironmentResolver& environments_;
  sweep::PlacedWords placed_;
  std::set<std::string> words_;                ///< looked for already: many trials have the same levels
  std::map<std::string, std::string> states_;  ///< programs by path: many commands share an interpreter
};

sweep::Origin origin_of_limits(const sweep::Limits& limits) {
  sweep::Origin origin = {{"limits.trial_timeout", fmt::format("{} s", limits.trial_timeout_seconds)},
                          {"limits.attempts", std::to_string(limits.attempts)},
                          {"limits.memory", limits.memory_bytes ? fmt::format("{} B", *limits.memory_bytes) : absent}};
  if (limits.retry_timeouts) origin["limits.retry_timeouts"] = "true";
  return origin;
}

}  // namespace

std::string file_state(const std::filesystem::path& file) {
  const UniqueFd held = open_regular_file(file);
  struct stat info {};
  if (::fstat(held.get(), &info) == 0 && static_cast<std::uint64_t>(info.st_size) > most_read_bytes)
    return fmt::format("{} bytes of {}.{:09}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;
  read_file(file, 2 * most_read_bytes, [&](std::string_view piece) {  // it may grow while it is read
    bytes += piece.size();
    checksum = crc32c(piece, checksum);
  });
  return fmt::format("{} bytes {:08x}", bytes, checksum);
}

std::string data_state(const std::string& data) {
  if (!std::filesystem::is_directory(data)) return file_state(split_data_path(data).file);
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(data, error), end; !error && at != end; at.increment(error)) {
    struct stat info {};
    if (::stat(at->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    files.push_back(
        fmt::format("{} {} {}.{:09}", at->path().string(), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec));
  }
  if (error) throw InputError(errno_text(fmt::format("cannot list '{}'", data), error.value()));
  std::sort(files.begin(), files.end());
  return fmt::format("{} files {}", files.size(), to_string(hash128(fmt::format("{}", fmt::join(files, "\n")))));
}

std::map<std::string, std::string> files_of(const sweep::Dataset& dataset) {
  std::map<std::string, std::string> files = {{dataset.data_as_written, dataset.data}};
  const auto add = [&](const std::string& called, const std::string& file) {
    if (!file.empty()) files[called] = file;
  };
  add(dataset.labels_as_written, dataset.labels);
  add(dataset.test_as_written, dataset.test);
  add(dataset.test_labels_as_written, dataset.test_labels);
  if (!dataset.test.empty()) return files;
  const TestFiles beside = test_files_beside(dataset.data, dataset.labels);
  add(beside.data, beside.data);
  add(beside.labels, beside.labels);
  return files;
}

sweep::Origins origins_of(const sweep::Sweep& sweep, const sweep::Plan& plan, EnvironmentResolver& environments) {
  sweep::Origins origins;
  OriginReader reader(sweep, environments);
  for (const sweep::Trial& trial : plan.trials) {
    if (trial.skip_reason) continue;
    reader.add_placed_files(origins, trial);
    const auto [known, is_new] = origins.try_emplace(sweep::runner_of(trial.parameters));
    if (!is_new) continue;
    const auto* command = std::get_if<std::string>(&trial.parameters[sweep::Param::command]);
    known->second = command != nullptr ? reader.of_command(sweep.commands.at(*command))
                                       : reader.of_engine(sweep::text_of(trial.parameters, sweep::Param::engine));
    if (const sweep::Dataset* dataset = sweep::dataset_of(sweep, trial.parameters))
      reader.add_data(known->second, *dataset);
  }
  origins[sweep::limits_origin] = origin_of_limits(sweep.limits);
  return origins;
}

}  // namespace regatta::launcher
