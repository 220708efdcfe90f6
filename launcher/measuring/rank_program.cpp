#include "measuring/rank_program.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <fstream>
#include <utility>
#include <variant>

#include "children/children.hpp"
#include "children/installations.hpp"
#include "children/worker_death.hpp"
#include "measuring/measuring.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {
namespace {

using measure::ArmEnded;
using sweep::FailureKind;

constexpr const char* results_variable = "REGATTA_RESULTS_FILE";
constexpr const char* parameters_variable = "REGATTA_PARAMETERS_FILE";
constexpr const char* visible_variable = "CUDA_VISIBLE_DEVICES";
constexpr const char* device_variable = "REGATTA_DEVICE";
constexpr const char* start_variable = "REGATTA_START_FOLDER";
constexpr double stacks_seconds = 1;  // Python prints them at once; what carries them is the pipe of its output
constexpr double killed_seconds = 30;
constexpr double look_seconds = 0.01;

void remove_quietly(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

std::vector<std::string> argv_here(AgentSlot& slot, std::vector<std::string> argv) {
  if (!asks_for_python(argv.front())) return argv;
  auto found = slot.environments.python_of(argv.front());
  if (const auto* missing = std::get_if<MissingEnvironment>(&found))
    throw ArmEnded{sweep::Skipped{missing->reason, sweep::SkipKind::not_installed}};
  argv.front() = std::get<std::string>(std::move(found));
  return argv;
}

/// A program on a device sees that of its slot alone, and one on cores sees none. Where the sweep names no device, the
/// program sees what Regatta saw.
void show_device(Variables& variables, const sweep::Parameters& parameters, const Variables& of_slot) {
  if (std::holds_alternative<std::monostate>(parameters[sweep::Param::device])) return;
  if (sweep::device_kind_of(parameters) == sweep::DeviceKind::cpu) {
    variables[visible_variable] = "";
    return;
  }
  for (const char* const name : {visible_variable, device_variable}) {
    if (const auto found = of_slot.find(name); found != of_slot.end()) variables.insert_or_assign(name, found->second);
  }
}

/// Its parameters, for programs that rather read a file than variables, and where it may write its results. Paths are
/// absolute, because a program may change its folder.
void add_files(Variables& variables, const PoolOptions& options, ArmIndex arm) {
  const std::string beside = fmt::format("{}/agent-{}-arm-{}", std::filesystem::absolute(options.log_folder).string(),
                                         options.agent, arm.value);
  variables[results_variable] = beside + "-results.jsonl";
  const auto parameters = variables.find("REGATTA_PARAMETERS");
  if (parameters == variables.end()) return;
  variables[parameters_variable] = beside + "-parameters.json";
  std::ofstream(variables.at(parameters_variable), std::ios::trunc) << parameters->second << '\n';
}

/// The output of rank 0 is that of the trial.
OutputFiles output_of(const std::string& log_folder, const Hash128& trial, std::optional<std::uint32_t> rank) {
  OutputFiles files = output_files(log_folder, trial);
  if (rank.value_or(0) == 0) return files;
  const std::string stem = fmt::format("{}/{}-rank-{}", log_folder, to_string(trial), *rank);
  return {stem + ".out", stem + ".err"};
}

}  // namespace

ProgramStart program_start(AgentSlot& slot, const sweep::ArmTask& task, const ArmPlace& place) {
  const sweep::Command& command = *task.command;
  const PoolOptions& options = slot.pool.options();
  ProgramStart start{argv_here(slot, command.argv), command.variables,
                     work_folder(command.folder, slot.run_folder, place.block, place.index),
                     output_of(options.log_folder, command.trial, place.rank)};
  slot.pool.pause_others(nullptr);  // processes that other blocks left warm
  show_device(start.variables, task.parameters, options.variables);
  add_files(start.variables, options, place.index);
  if (start.folder.empty()) return start;
  // Relative paths are named from the folder where Regatta was started.
  start.argv = with_whole_paths(std::move(start.argv));
  start.variables[start_variable] = std::filesystem::current_path().string();
  return start;
}

ProgramStart loop_start(AgentSlot& slot, const sweep::ArmTask& task, std::uint32_t rank) {
  const PoolOptions& options = slot.pool.options();
  const sweep::EngineName name = sweep::split_engine(sweep::text_of(task.parameters, sweep::Param::engine));
  auto found = slot.environments.resolve(name, sweep::threads_of(task.parameters));
  if (const auto* missing = std::get_if<MissingEnvironment>(&found))
    throw ArmEnded{sweep::Skipped{missing->reason, sweep::SkipKind::not_installed}};
  WorkerProgram program = std::get<WorkerProgram>(std::move(found));
  program.variables.insert(options.variables.begin(), options.variables.end());
  const std::string stem = fmt::format("{}/agent-{}-rank-{}", options.log_folder, options.agent, rank);
  ProgramStart start{std::move(program.argv), std::move(program.variables), {}, {stem + ".out", stem + ".err"}};
  start.variables[results_variable] = stem + "-results.jsonl";
  return start;
}

const std::string& results_file(const ProgramStart& start) { return start.variables.at(results_variable); }

void remove_files(const ProgramStart& start) {
  for (const char* const name : {results_variable, parameters_variable}) {
    if (start.variables.contains(name)) remove_quietly(start.variables.at(name));
  }
}

RankPlace rank_place(const AgentSlot& slot, std::int64_t threads) {
  const PoolOptions& options = slot.pool.options();
  const auto device = options.variables.find(visible_variable);
  return {slot.memory_domain, slot.host.node.empty() ? slot.host.name : slot.host.node, slot.host.name,
          slot.pool.cpus_for(threads), device == options.variables.end() ? "" : device->second};
}

protocol::RunProgram request_of(AgentSlot& slot, const ProgramStart& start, sweep::KeptOutput kept,
                                std::vector<int> cpus, const Variables& more) {
  const bool is_kept = kept == sweep::KeptOutput::kept;
  remove_quietly(results_file(start));
  if (is_kept) remove_output(start.output);
  Variables variables = more;
  variables.insert(start.variables.begin(), start.variables.end());
  return {slot.spawner.next_id(),
          start.argv,
          std::move(variables),
          std::move(cpus),
          is_kept ? start.output.complaints : "",
          slot.pool.options().memory_bytes,
          start.folder.string(),
          is_kept ? start.output.printed : ""};
}

std::string with_last_words(std::string message, const protocol::Exited& exit) {
  std::string words = last_words(exit.complaints());
  if (words.empty()) words = last_words(exit.printed());
  return words.empty() ? message : fmt::format("{}; its last words:\n{}", message, words);
}

void judge_end(WorkerPool& pool, const protocol::Exited& exit) {
  if (WIFEXITED(exit.wait_status) && WEXITSTATUS(exit.wait_status) == 0) return;
  const Death death = pool.cause_of_death(exit);
  if (!WIFEXITED(exit.wait_status)) throw WorkerDied(death.kind, with_last_words(death.message, exit));
  throw ArmEnded{sweep::Failed{FailureKind::reported, with_last_words(death.message, exit)}};
}

RankRun::RankRun(AgentSlot& slot, const protocol::RunProgram& request) : slot_(slot), id_(request.worker) {
  slot_.spawner.begin(request);
}

const std::optional<protocol::Exited>& RankRun::look() {
  if (exit_) return exit_;
  try {
    exit_ = slot_.spawner.take_exit(id_);
    if (exit_ && !kill_at_) slot_.spawner.expect_wanted(*exit_);
    if (exit_ || !kill_at_ || is_killed_ || !kill_at_->passed()) return exit_;
    is_killed_ = true;
    slot_.spawner.kill(id_);
    exit_ = slot_.spawner.wait_exit(id_, killed_seconds);
  } catch (const CouldNotStart& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
  return exit_;
}

void RankRun::end() {
  if (exit_ || kill_at_) return;
  kill_at_ = Deadline::after(stacks_seconds);
  slot_.spawner.tell_stacks(id_);
}

void RankRun::wait() {
  Deadline until = Deadline::after(look_seconds);
  slot_.spawner.wait_wanted({slot_.spawner.fd()}, until);
}

}  // namespace regatta::launcher
