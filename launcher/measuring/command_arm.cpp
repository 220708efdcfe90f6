#include "measuring/command_arm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

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

#include "children/worker_death.hpp"
#include "launch/launch.hpp"
#include "measuring/measuring.hpp"
#include "measuring/program_gang.hpp"
#include "measuring/rank_program.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/program_results.hpp"

namespace regatta::launcher {
namespace {

using measure::ArmEnded;
using sweep::FailureKind;

constexpr const char* results_variable = "REGATTA_RESULTS_FILE";
constexpr std::size_t most_names_told = 8;
constexpr std::size_t most_name_bytes = 60;
constexpr std::size_t most_result_bytes = std::size_t{1} << 20;

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

/// Throws what a run means that did not end well.
void judge_exit(WorkerPool& pool, const protocol::Exited& exit, bool timed_out, Timeouts timeouts) {
  if (!timed_out) return judge_end(pool, exit);
  const std::string message = with_last_words(
      fmt::format("did not end within limits.trial_timeout, {} s", pool.options().timeout_seconds), exit);
  if (timeouts == Timeouts::fail) throw ArmEnded{sweep::Failed{FailureKind::timed_out, message}};
  throw WorkerDied(FailureKind::timed_out, message);
}

class CommandArm : public ProcessArm {
 public:
  CommandArm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place, Timeouts timeouts, ProgramGroup group)
      : slot_(slot),
        task_(task),
        command_(*task.command),
        place_(place),
        timeouts_(timeouts),
        threads_(sweep::threads_of(task.parameters)),
        shows_device_(sweep::is_level(task.parameters, sweep::Param::device, "cuda")),
        gang_(slot, std::move(group), threads_, timeouts) {}

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
  [[nodiscard]] std::int64_t threads() const override { return threads_; }

 private:
  void empty_folder();
  void run_once();
  bool run_alone();
  void run_ranks();
  [[nodiscard]] Variables variables_of(std::size_t rank) const;
  [[nodiscard]] Told told_by_last();
  [[nodiscard]] double seconds_of_last(const Told& told) const;
  void need_results(const Told& told, const measure::SliceRequest& request) const;
  void keep_results(const Told& told);
  void run_step(const measure::SliceRequest& request, measure::SliceResult& result);
  measure::SliceResult run_steps(const measure::SliceRequest& request);

  AgentSlot& slot_;
  const sweep::ArmTask& task_;
  const sweep::Command& command_;
  ArmPlace place_;
  Timeouts timeouts_;
  std::int64_t threads_;
  bool shows_device_;                           ///< it computes on GPUs, says the sweep
  ProgramGang gang_;                            ///< the agents whose slots it has, this one first
  ProgramStart start_;                          ///< once it is prepared
  protocol::Exited last_;                       ///< its last run, that of rank 0
  double seconds_ = 0;                          ///< how long that took, all ranks
  std::uint64_t peak_bytes_ = 0;                ///< the same of all ranks
  std::map<std::string, std::string> missing_;  ///< results that its last run lacks: by name, why
  std::optional<DisturbanceWatch> watch_;       ///< while it is compared
  sweep::ProgramResults results_;               ///< results of its scored runs
  std::size_t runs_ = 0;
  std::set<std::string> not_kept_;  ///< names under which no result can stand
  bool has_too_many_ = false;       ///< more names than are kept
  std::string unread_;              ///< words of a scored run that look like numbers and were not read
  sweep::ArmOutcome report_;
};

measure::Prepared CommandArm::prepare() {
  report_.environment = "command";
  start_ = program_start(slot_, task_, place_);
  if (place_.own_process) watch_.emplace(std::nullopt, slot_.pool.cpus_for(threads_));
  gang_.prepare();
  return {};
}

void CommandArm::release() {
  if (start_.argv.empty()) return;  // it was not prepared
  remove_files(start_);
  if (command_.output == sweep::KeptOutput::tail) write_output(start_.output, last_);
  std::error_code left_for_next_run;
  if (command_.folder == sweep::WorkFolder::removed) remove_tree(start_.folder, left_for_next_run);
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
    sweep::set(told.facts, sweep::Fact::folder,
               (start_.folder.parent_path().filename() / start_.folder.filename()).string());
  const std::size_t nodes = node_count(gang_.places());
  if (nodes > 1) sweep::set(told.facts, sweep::Fact::nodes, static_cast<std::int64_t>(nodes));
  return told;
}

void CommandArm::empty_folder() {
  try {
    make_empty(start_.folder);
  } catch (const InputError& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
}

/// A run in which the job was suspended is no run: it begins again.
void CommandArm::run_once() {
  const bool has_processes = sweep::starts_each_rank(command_.launch);
  for (int tried = 1;; ++tried) {
    if (!start_.folder.empty()) empty_folder();
    const double stopped_before = slot_.spawner.stopped_seconds();
    bool timed_out = false;
    if (has_processes)
      run_ranks();
    else
      timed_out = run_alone();
    const double stopped_seconds = slot_.spawner.stopped_seconds() - stopped_before;
    if (stopped_seconds <= 0 || timed_out || tried == most_tries_of_suspended) {
      if (!has_processes) judge_exit(slot_.pool, last_, timed_out, timeouts_);
      return;
    }
    log::info(fmt::format("suspended for {:.0f} s in a run of {}; it is run again", stopped_seconds,
                          clean(command_.argv.front())));
  }
}

/// GPUs of all its slots on the node, so that ranks may count them.
Variables CommandArm::variables_of(std::size_t rank) const {
  if (!shows_device_) return {};
  const std::string devices = devices_of_node(gang_.places(), gang_.places()[rank]);
  return devices.empty() ? Variables() : Variables{{"CUDA_VISIBLE_DEVICES", devices}};
}

/// One process, on the cores of all slots of this node; the other agents stay idle. mpirun and srun bind the ranks.
/// Whether it took too long.
bool CommandArm::run_alone() {
  ProgramStart start = start_;
  std::vector<std::string> words;
  if (command_.launch == sweep::Launch::srun) words = srun_words(gang_.places());
  if (command_.launch == sweep::Launch::mpirun) {
    const std::string file = results_file(start) + ".ranks";
    std::ofstream(file, std::ios::trunc) << rankfile(gang_.places());
    words = mpirun_words(gang_.places(), file, ::geteuid() == 0);
  }
  start.argv.insert(start.argv.begin(), words.begin(), words.end());
  const std::vector<int> cpus = cores_of_node(gang_.places(), gang_.places().front());
  bool timed_out = false;
  try {
    last_ = slot_.spawner.run(request_of(slot_, start, command_.output, cpus, variables_of(0)),
                              slot_.pool.options().timeout_seconds, timed_out);
  } catch (const CouldNotStart& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
  seconds_ = last_.seconds;
  peak_bytes_ = last_.peak_bytes;
  return timed_out;
}

/// A process for each rank.
void CommandArm::run_ranks() {
  std::vector<Variables> variables = rank_variables(command_.launch, gang_.places(), free_port());
  for (std::size_t rank = 0; rank < variables.size(); ++rank) variables[rank].merge(variables_of(rank));
  const std::vector<int> cpus = slot_.pool.cpus_for(threads_);
  const RunOfRanks run =
      gang_.run(request_of(slot_, start_, command_.output, cpus, variables.front()), variables, last_);
  seconds_ = run.seconds;
  peak_bytes_ = run.peak_bytes;
}

/// The numbers that it printed, those of its file of results, and those that the command says where to look for.
Told CommandArm::told_by_last() {
  Told told;
  told.unread.cut = last_.lost_told;
  take_lines(told, last_.printed());
  take_lines(told, end_of_file(results_file(start_), told.unread.cut));
  missing_ = take_sources(told, command_.sources, last_.printed(), start_.folder);
  return told;
}

double CommandArm::seconds_of_last(const Told& told) const {
  if (command_.metric_key.empty()) return seconds_;
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
    note_result(results_, runs_, name, number);
  }
  if (unread_.empty()) unread_ = text_of(told.unread, command_.results);
  ++runs_;
}

void CommandArm::need_results(const Told& told, const measure::SliceRequest& request) const {
  std::vector<std::string> needed = command_.results;
  if (!request.result.empty()) needed.push_back(request.result);
  for (const std::string& name : needed) {
    if (told.numbers.contains(name)) continue;
    const char* const use =
        name == request.result ? "by which trials are compared" : "one of the \"results\" of its command";
    std::string message = fmt::format("the program reported no number '{}', {}; ", name, use);
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
  result.memory.peak_bytes = std::max(result.memory.peak_bytes, peak_bytes_);
  need_results(told, request);
  if (!request.result.empty()) {
    const sweep::ToldNumber& number = told.numbers.at(request.result);
    result.result = sweep::without_prefix(number.value, number.unit);
  }
  if (request.order.phase == stats::Phase::steady) keep_results(told);
}

/// A run that fails leaves its output, whatever the command says.
measure::SliceResult CommandArm::run_steps(const measure::SliceRequest& request) {
  measure::SliceResult result;
  try {
    for (std::int64_t step = 0; step < request.order.length.steps; ++step) run_step(request, result);
  } catch (...) {
    if (command_.output != sweep::KeptOutput::kept) write_output(start_.output, last_);
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
  const auto& [value, unit] = found->second;
  const auto as_time = unit.empty() ? std::optional(value) : sweep::converted(value, unit, "s");
  if (!as_time)
    throw InputError(
        fmt::format("told {} {} under '{}', the metric of this command, and {} is no unit of time; print seconds, or a "
                    "unit such as \"ms\"",
                    value, unit, key, unit));
  const double seconds = *as_time;
  if (seconds > 0 && std::isfinite(seconds)) return seconds;
  throw InputError(
      fmt::format("told {} under '{}', which is no time in seconds above 0. Its ratio to others would mean nothing. "
                  "Print how long the work took, or leave \"metric\" out for the time of the whole process",
                  seconds, key));
}

std::unique_ptr<ProcessArm> make_command_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place,
                                             Timeouts timeouts, ProgramGroup group) {
  return std::make_unique<CommandArm>(slot, task, place, timeouts, std::move(group));
}

}  // namespace regatta::launcher
