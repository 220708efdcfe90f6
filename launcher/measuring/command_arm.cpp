#include "measuring/command_arm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "children/children.hpp"
#include "children/installations.hpp"
#include "children/worker_death.hpp"
#include "measuring/measuring.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/program_results.hpp"

namespace regatta::launcher {
namespace {

using measure::ArmEnded;
using sweep::FailureKind;

constexpr const char* results_variable = "REGATTA_RESULTS_FILE";
constexpr const char* parameters_variable = "REGATTA_PARAMETERS_FILE";
constexpr const char* start_variable = "REGATTA_START_FOLDER";
constexpr std::size_t most_names_told = 8;
constexpr std::size_t most_name_bytes = 60;
constexpr std::size_t most_result_bytes = std::size_t{64} << 10;

void remove_quietly(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

/// Its last `most_result_bytes`; nothing where there is none, or what no program should have made there.
std::string end_of_file(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
  std::string text(std::min(size, most_result_bytes), '\0');
  file.seekg(static_cast<std::streamoff>(size - text.size()));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

/// Where a program's words begin: earlier runs wrote into the same log.
struct Words {
  std::string log_path;
  std::uintmax_t from = 0;
};

std::string with_last_words(std::string message, const Words& words) {
  const std::string tail = log_tail(words.log_path, words.from);
  return tail.empty() ? message : fmt::format("{}; its last words:\n{}", message, tail);
}

void judge_exit(WorkerPool& pool, const protocol::Exited& exit, bool timed_out, const Words& words) {
  if (timed_out) {
    throw WorkerDied(
        FailureKind::timed_out,
        with_last_words(fmt::format("did not end within limits.trial_timeout, {} s", pool.options().timeout_seconds),
                        words));
  }
  if (WIFEXITED(exit.wait_status) && WEXITSTATUS(exit.wait_status) == 0 && !exit.flooded) return;
  const Death death = pool.cause_of_death(exit);
  if (!WIFEXITED(exit.wait_status) || exit.flooded) throw WorkerDied(death.kind, with_last_words(death.message, words));
  throw ArmEnded{sweep::Failed{FailureKind::reported, with_last_words(death.message, words)}};
}

class CommandArm : public ProcessArm {
 public:
  CommandArm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place)
      : slot_(slot),
        command_(*task.command),
        argv_(command_.argv),
        place_(place),
        threads_(sweep::threads_of(task.parameters)),
        folder_(work_folder(command_.folder, slot.run_folder, place.block, place.index)) {}

  measure::Prepared prepare() override;
  measure::Prepared renew() override { return {}; }  // each step is a fresh process
  measure::SliceResult slice(const measure::SliceRequest& request) override;
  sweep::Learned train(const measure::TrainRequest&) override {
    throw ArmEnded{sweep::Skipped{"a command is not trained by this version; name a model and its engine"}};
  }
  protocol::Checked check(std::int64_t, protocol::CheckAs) override { return {place_.index, {}}; }
  void park() override {}  // between slices there is no process
  void resume() override {}
  void evict() override {}
  void release() override;
  [[nodiscard]] sweep::ArmOutcome report() const override;
  bool send_ahead(const std::vector<measure::SliceRequest>&) override { return false; }
  bool begin(const std::vector<int>&) override { return false; }
  bool await_begun() override { return false; }
  [[nodiscard]] std::int64_t threads() const override { return threads_; }

 private:
  void prepare_files();
  void prepare_folder();
  void empty_folder();
  protocol::Exited run_once();
  [[nodiscard]] ToldNumbers told_by(const protocol::Exited& exit) const;
  [[nodiscard]] double seconds_of(const protocol::Exited& exit, const ToldNumbers& told) const;
  void need_results(const ToldNumbers& told, const measure::SliceRequest& request) const;
  void keep_results(const ToldNumbers& told);
  measure::SliceResult run_steps(const measure::SliceRequest& request);

  AgentSlot& slot_;
  const sweep::Command& command_;
  std::vector<std::string> argv_;  ///< with the interpreter that it asks for
  ArmPlace place_;
  std::int64_t threads_;
  std::filesystem::path folder_;                  ///< in which it runs; empty: the agent's
  std::map<std::string, std::string> variables_;  ///< its trial's, and the files beside it
  std::optional<DisturbanceWatch> watch_;         ///< while it is compared
  sweep::ProgramResults results_;                 ///< results of its scored runs
  std::size_t runs_ = 0;
  std::set<std::string> not_kept_;  ///< names under which no result can stand
  sweep::ArmOutcome report_;
};

measure::Prepared CommandArm::prepare() {
  report_.environment = "command";
  if (asks_for_python(command_.argv.front())) {
    auto found = slot_.environments.python_of(command_.argv.front());
    if (const auto* missing = std::get_if<MissingEnvironment>(&found))
      throw ArmEnded{sweep::Skipped{missing->reason, sweep::SkipKind::not_installed}};
    argv_.front() = std::get<std::string>(std::move(found));
  }
  if (place_.own_process) watch_.emplace(std::nullopt, slot_.pool.cpus_for(threads_));
  slot_.pool.pause_others(nullptr);  // processes that other blocks left warm
  prepare_files();
  prepare_folder();
  return {};
}

/// Makes relative paths whole: they are named from the folder where Regatta was started.
void CommandArm::prepare_folder() {
  if (folder_.empty()) return;
  argv_ = with_whole_paths(std::move(argv_));
  variables_[start_variable] = std::filesystem::current_path().string();
}

/// Its parameters, for programs that rather read a file than variables, and where it may write its results. Paths are
/// absolute, because a program may change its folder.
void CommandArm::prepare_files() {
  const PoolOptions& options = slot_.pool.options();
  const std::string beside = fmt::format("{}/agent-{}-arm-{}", std::filesystem::absolute(options.log_folder).string(),
                                         options.agent, place_.index.value);
  variables_ = command_.variables;
  variables_[results_variable] = beside + "-results.jsonl";
  const auto parameters = variables_.find("REGATTA_PARAMETERS");
  if (parameters == variables_.end()) return;
  variables_[parameters_variable] = beside + "-parameters.json";
  std::ofstream(variables_.at(parameters_variable), std::ios::trunc) << parameters->second << '\n';
}

void CommandArm::release() {
  for (const char* const name : {results_variable, parameters_variable}) {
    if (variables_.contains(name)) remove_quietly(variables_.at(name));
  }
  std::error_code left_for_next_run;
  if (command_.folder == sweep::WorkFolder::removed) std::filesystem::remove_all(folder_, left_for_next_run);
}

sweep::ArmOutcome CommandArm::report() const {
  sweep::ArmOutcome told = report_;
  sweep::set(told.facts, sweep::Fact::results, results_);
  if (!not_kept_.empty())
    sweep::set(told.facts, sweep::Fact::result_remarks,
               fmt::format("not kept, for their names: {}", fmt::join(not_kept_, ", ")));
  if (command_.folder == sweep::WorkFolder::kept)
    sweep::set(told.facts, sweep::Fact::folder, (folder_.parent_path().filename() / folder_.filename()).string());
  return told;
}

void CommandArm::empty_folder() {
  try {
    make_empty(folder_);
  } catch (const InputError& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
}

protocol::Exited CommandArm::run_once() {
  const PoolOptions& options = slot_.pool.options();
  const std::string log_path =
      fmt::format("{}/agent-{}-command-{}.log", options.log_folder, options.agent, command_.name);
  std::error_code none;
  const std::uintmax_t before = std::filesystem::file_size(log_path, none);
  const Words words{log_path, none ? 0 : before};
  bool timed_out = false;
  remove_quietly(variables_.at(results_variable));
  if (!folder_.empty()) empty_folder();
  try {
    auto exit = slot_.spawner.run({slot_.spawner.next_id(), argv_, variables_, slot_.pool.cpus_for(threads_), log_path,
                                   options.memory_bytes, folder_.string()},
                                  options.timeout_seconds, timed_out);
    judge_exit(slot_.pool, exit, timed_out, words);
    return exit;
  } catch (const CouldNotStart& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
}

/// The numbers that it printed, then those that it wrote into its file of results.
ToldNumbers CommandArm::told_by(const protocol::Exited& exit) const {
  ToldNumbers told;
  take_lines(told, exit.output);
  take_lines(told, end_of_file(variables_.at(results_variable)));
  return told;
}

double CommandArm::seconds_of(const protocol::Exited& exit, const ToldNumbers& told) const {
  if (command_.metric_key.empty()) return exit.seconds;
  try {
    return metric_of(told, command_.metric_key);
  } catch (const InputError& error) {
    throw ArmEnded{sweep::Failed{FailureKind::reported, error.what()}};
  }
}

/// Keeps what a scored run told.
void CommandArm::keep_results(const ToldNumbers& told) {
  const auto wants = [&](const std::string& name) {
    return command_.results.empty() ? name != command_.metric_key
                                    : std::ranges::find(command_.results, name) != command_.results.end();
  };
  for (const auto& [name, number] : told) {
    if (!wants(name)) continue;
    if (sweep::may_be_result(name))
      sweep::note(results_, runs_, name, number);
    else if (not_kept_.size() < most_names_told)
      not_kept_.insert(clean(name).substr(0, most_name_bytes));
  }
  ++runs_;
}

void CommandArm::need_results(const ToldNumbers& told, const measure::SliceRequest& request) const {
  std::vector<std::string> needed = command_.results;
  if (!request.result.empty()) needed.push_back(request.result);
  for (const std::string& name : needed) {
    if (told.contains(name)) continue;
    throw ArmEnded{sweep::Failed{
        FailureKind::reported,
        fmt::format("told no number '{0}', which {1}; print a JSON line such as {{\"{0}\": 0.5}}, or write it into the "
                    "file that {2} names",
                    name, name == request.result ? "arms are compared by" : "is one of its \"results\"",
                    results_variable)}};
  }
}

measure::SliceResult CommandArm::run_steps(const measure::SliceRequest& request) {
  measure::SliceResult result;
  for (std::int64_t step = 0; step < request.order.length.steps; ++step) {
    const protocol::Exited exit = run_once();
    const ToldNumbers told = told_by(exit);
    result.samples.push_back({.slice = request.order.slice,
                              .arm = static_cast<std::uint16_t>(place_.index.value),
                              .phase = request.order.phase,
                              .start_seconds = exit.start_seconds,
                              .seconds = seconds_of(exit, told)});
    result.memory.peak_bytes = std::max(result.memory.peak_bytes, exit.peak_bytes);
    need_results(told, request);
    if (!request.result.empty()) result.result = told.at(request.result).value;
    if (request.order.phase == stats::Phase::steady) keep_results(told);
  }
  return result;
}

measure::SliceResult CommandArm::slice(const measure::SliceRequest& request) {
  return watched_slice(watch_ ? &*watch_ : nullptr, request, [&] { return run_steps(request); });
}

}  // namespace

double metric_of(const ToldNumbers& told, const std::string& key) {
  const auto found = told.find(key);
  if (found == told.end()) {
    throw InputError(
        fmt::format("printed no JSON line with a number under '{}' (the metric of this command, in seconds); "
                    "print one, as {{\"{}\": 0.012}}",
                    key, key));
  }
  const double seconds = found->second.value;
  if (seconds > 0 && std::isfinite(seconds)) return seconds;
  throw InputError(
      fmt::format("told {} under '{}', which is no time in seconds above 0. Its ratio to others would mean nothing. "
                  "Print how long the work took, or leave \"metric\" out for the time of the whole process",
                  seconds, key));
}

std::unique_ptr<ProcessArm> make_command_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place) {
  return std::make_unique<CommandArm>(slot, task, place);
}

}  // namespace regatta::launcher
