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
#include "regatta/base/log.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/program_results.hpp"
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
constexpr std::size_t most_names_told = 8;
constexpr std::size_t most_name_bytes = 60;
constexpr std::size_t most_result_bytes = std::size_t{1} << 20;

void remove_quietly(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

/// The whole lines among its last `most_result_bytes`; nothing where there is none, or what no program should have made
/// there.
std::string end_of_file(const std::string& path, bool& is_cut) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
  std::string text(std::min(size, most_result_bytes), '\0');
  file.seekg(static_cast<std::streamoff>(size - text.size()));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (size <= most_result_bytes) return text;
  is_cut = true;
  return text.substr(std::min(text.find('\n'), text.size()));
}

/// With the end of what it said last: most programs write their errors to standard error.
std::string with_last_words(std::string message, const protocol::Exited& exit) {
  std::string words = last_words(exit.complaints());
  if (words.empty()) words = last_words(exit.printed());
  return words.empty() ? message : fmt::format("{}; its last words:\n{}", message, words);
}

void judge_exit(WorkerPool& pool, const protocol::Exited& exit, bool timed_out, Timeouts timeouts) {
  if (timed_out) {
    const std::string message = with_last_words(
        fmt::format("did not end within limits.trial_timeout, {} s", pool.options().timeout_seconds), exit);
    if (timeouts == Timeouts::fail) throw ArmEnded{sweep::Failed{FailureKind::timed_out, message}};
    throw WorkerDied(FailureKind::timed_out, message);
  }
  if (WIFEXITED(exit.wait_status) && WEXITSTATUS(exit.wait_status) == 0) return;
  const Death death = pool.cause_of_death(exit);
  if (!WIFEXITED(exit.wait_status)) throw WorkerDied(death.kind, with_last_words(death.message, exit));
  throw ArmEnded{sweep::Failed{FailureKind::reported, with_last_words(death.message, exit)}};
}

std::optional<sweep::DeviceKind> device_named(const sweep::Parameters& parameters) {
  if (std::holds_alternative<std::monostate>(parameters[sweep::Param::device])) return std::nullopt;
  return sweep::device_kind_of(parameters);
}

/// A program on a device sees that of its slot alone, and one on cores sees none. Where the sweep names no device, the
/// program sees what Regatta saw.
void show_device(std::map<std::string, std::string>& variables, sweep::DeviceKind device,
                 const std::map<std::string, std::string>& of_slot) {
  if (device == sweep::DeviceKind::cpu) {
    variables[visible_variable] = "";
    return;
  }
  for (const char* const name : {visible_variable, device_variable}) {
    if (const auto found = of_slot.find(name); found != of_slot.end()) variables.insert_or_assign(name, found->second);
  }
}

class CommandArm : public ProcessArm {
 public:
  CommandArm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place, Timeouts timeouts)
      : slot_(slot),
        command_(*task.command),
        argv_(command_.argv),
        place_(place),
        timeouts_(timeouts),
        device_(device_named(task.parameters)),
        threads_(sweep::threads_of(task.parameters)),
        folder_(work_folder(command_.folder, slot.run_folder, place.block, place.index)),
        output_(output_files(slot.pool.options().log_folder, command_.trial)) {}

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
  void run_once();
  bool run_program();
  [[nodiscard]] Told told_by_last();
  [[nodiscard]] double seconds_of_last(const Told& told) const;
  void need_results(const Told& told, const measure::SliceRequest& request) const;
  void keep_results(const Told& told);
  void run_step(const measure::SliceRequest& request, measure::SliceResult& result);
  measure::SliceResult run_steps(const measure::SliceRequest& request);

  AgentSlot& slot_;
  const sweep::Command& command_;
  std::vector<std::string> argv_;  ///< with the interpreter that it asks for
  ArmPlace place_;
  Timeouts timeouts_;
  std::optional<sweep::DeviceKind> device_;  ///< the device that it computes on, where the sweep says so
  std::int64_t threads_;
  std::filesystem::path folder_;  ///< in which it runs; empty: the agent's
  OutputFiles output_;
  protocol::Exited last_;                         ///< its last run
  std::map<std::string, std::string> missing_;    ///< results that its last run lacks: by name, why
  std::map<std::string, std::string> variables_;  ///< its trial's, and the files beside it
  std::optional<DisturbanceWatch> watch_;         ///< while it is compared
  sweep::ProgramResults results_;                 ///< results of its scored runs
  std::size_t runs_ = 0;
  std::set<std::string> not_kept_;  ///< names under which no result can stand
  bool has_too_many_ = false;       ///< more names than are kept
  std::string unread_;              ///< words of a scored run that look like numbers and were not read
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
  if (device_) show_device(variables_, *device_, options.variables);
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
  if (command_.output == sweep::KeptOutput::tail) write_output(output_, last_);
  std::error_code left_for_next_run;
  if (command_.folder == sweep::WorkFolder::removed) std::filesystem::remove_all(folder_, left_for_next_run);
}

sweep::ArmOutcome CommandArm::report() const {
  sweep::ArmOutcome told = report_;
  sweep::set(told.facts, sweep::Fact::results, results_);
  std::vector<std::string> remarks;
  if (!not_kept_.empty()) remarks.push_back(fmt::format("not kept, for their names: {}", fmt::join(not_kept_, ", ")));
  if (has_too_many_) remarks.push_back(fmt::format("more than {} names: only these are kept", sweep::most_results));
  if (!unread_.empty()) remarks.push_back(unread_);
  sweep::set(told.facts, sweep::Fact::result_remarks, fmt::format("{}", fmt::join(remarks, "; ")));
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

/// A run in which the job was suspended is no run: it begins again.
void CommandArm::run_once() {
  for (int tried = 1;; ++tried) {
    const double stopped_before = slot_.spawner.stopped_seconds();
    const bool timed_out = run_program();
    const double stopped_seconds = slot_.spawner.stopped_seconds() - stopped_before;
    if (stopped_seconds <= 0 || timed_out || tried == most_tries_of_suspended)
      return judge_exit(slot_.pool, last_, timed_out, timeouts_);
    log::info(fmt::format("suspended for {:.0f} s in a run of {}; it is run again", stopped_seconds,
                          clean(command_.argv.front())));
  }
}

/// Whether it took too long.
bool CommandArm::run_program() {
  const PoolOptions& options = slot_.pool.options();
  const bool is_kept = command_.output == sweep::KeptOutput::kept;
  bool timed_out = false;
  remove_quietly(variables_.at(results_variable));
  if (is_kept) remove_output(output_);
  if (!folder_.empty()) empty_folder();
  try {
    last_ = slot_.spawner.run(
        {slot_.spawner.next_id(), argv_, variables_, slot_.pool.cpus_for(threads_), is_kept ? output_.complaints : "",
         options.memory_bytes, folder_.string(), is_kept ? output_.printed : ""},
        options.timeout_seconds, timed_out);
  } catch (const CouldNotStart& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
  return timed_out;
}

/// The numbers that it printed, those of its file of results, and those that the command says where to look for.
Told CommandArm::told_by_last() {
  Told told;
  told.unread.cut = last_.lost_told;
  take_lines(told, last_.printed());
  take_lines(told, end_of_file(variables_.at(results_variable), told.unread.cut));
  missing_ = take_sources(told, command_.sources, last_.printed(), folder_);
  return told;
}

double CommandArm::seconds_of_last(const Told& told) const {
  if (command_.metric_key.empty()) return last_.seconds;
  try {
    return metric_of(told.numbers, command_.metric_key);
  } catch (const InputError& error) {
    const std::string unread = text_of(told.unread, {});
    throw ArmEnded{sweep::Failed{FailureKind::reported,
                                 unread.empty() ? error.what() : fmt::format("{} ({})", error.what(), unread)}};
  }
}

/// Keeps what a scored run told.
void CommandArm::keep_results(const Told& told) {
  const auto wants = [&](const std::string& name) {
    return command_.results.empty() ? name != command_.metric_key
                                    : std::ranges::find(command_.results, name) != command_.results.end();
  };
  for (const auto& [name, number] : told.numbers) {
    if (!wants(name)) continue;
    if (!sweep::may_be_result(name)) {
      if (not_kept_.size() < most_names_told) not_kept_.insert(clean(name).substr(0, most_name_bytes));
      continue;
    }
    has_too_many_ = has_too_many_ || (results_.size() >= sweep::most_results && !results_.contains(name));
    sweep::note(results_, runs_, name, number);
  }
  if (unread_.empty()) unread_ = text_of(told.unread, command_.results);
  ++runs_;
}

void CommandArm::need_results(const Told& told, const measure::SliceRequest& request) const {
  std::vector<std::string> needed = command_.results;
  if (!request.result.empty()) needed.push_back(request.result);
  for (const std::string& name : needed) {
    if (told.numbers.contains(name)) continue;
    const char* const use = name == request.result ? "arms are compared by" : "is one of its \"results\"";
    std::string message = fmt::format("told no number '{}', which {}; ", name, use);
    const auto why = missing_.find(name);
    message += why != missing_.end() ? why->second
                                     : fmt::format(
                                           "print a JSON line such as {{\"{0}\": 0.5}}, or write it into the "
                                           "file that {1} names",
                                           name, results_variable);
    const std::string unread = text_of(told.unread, {});
    if (!unread.empty()) message += fmt::format(" ({})", unread);
    throw ArmEnded{sweep::Failed{FailureKind::reported, message}};
  }
}

void CommandArm::run_step(const measure::SliceRequest& request, measure::SliceResult& result) {
  run_once();
  const Told told = told_by_last();
  result.samples.push_back({.slice = request.order.slice,
                            .arm = static_cast<std::uint16_t>(place_.index.value),
                            .phase = request.order.phase,
                            .start_seconds = last_.start_seconds,
                            .seconds = seconds_of_last(told)});
  result.memory.peak_bytes = std::max(result.memory.peak_bytes, last_.peak_bytes);
  need_results(told, request);
  if (!request.result.empty()) result.result = told.numbers.at(request.result).value;
  if (request.order.phase == stats::Phase::steady) keep_results(told);
}

/// A run that fails leaves its output, whatever the command says.
measure::SliceResult CommandArm::run_steps(const measure::SliceRequest& request) {
  measure::SliceResult result;
  try {
    for (std::int64_t step = 0; step < request.order.length.steps; ++step) run_step(request, result);
  } catch (...) {
    if (command_.output != sweep::KeptOutput::kept) write_output(output_, last_);
    throw;
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

std::unique_ptr<ProcessArm> make_command_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place,
                                             Timeouts timeouts) {
  return std::make_unique<CommandArm>(slot, task, place, timeouts);
}

}  // namespace regatta::launcher
