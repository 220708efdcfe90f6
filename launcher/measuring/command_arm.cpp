#include "measuring/command_arm.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "children/installations.hpp"
#include "children/worker_death.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::launcher {
namespace {

using measure::ArmEnded;
using sweep::FailureKind;

std::string with_last_words(std::string message, const std::string& log_path) {
  const std::string tail = log_tail(log_path);
  return tail.empty() ? message : fmt::format("{}; its last words:\n{}", message, tail);
}

void judge_exit(WorkerPool& pool, const protocol::Exited& exit, bool timed_out, const std::string& log_path) {
  if (timed_out) {
    throw WorkerDied(
        FailureKind::timed_out,
        with_last_words(fmt::format("did not end within limits.trial_timeout, {} s", pool.options().timeout_seconds),
                        log_path));
  }
  if (WIFEXITED(exit.wait_status) && WEXITSTATUS(exit.wait_status) == 0 && !exit.flooded) return;
  const Death death = pool.cause_of_death(exit);
  if (!WIFEXITED(exit.wait_status) || exit.flooded)
    throw WorkerDied(death.kind, with_last_words(death.message, log_path));
  throw ArmEnded{sweep::Failed{FailureKind::reported, with_last_words(death.message, log_path)}};
}

class CommandArm : public ProcessArm {
 public:
  CommandArm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place)
      : slot_(slot),
        command_(*task.command),
        argv_(command_.argv),
        place_(place),
        threads_(sweep::threads_of(task.parameters)) {}

  measure::Prepared prepare() override;
  measure::Prepared renew() override { return {}; }  // each step is a fresh process
  measure::SliceResult slice(const measure::SliceRequest& request) override;
  sweep::Learned train(const measure::TrainRequest&) override {
    throw ArmEnded{sweep::Skipped{"a command is not trained by this version; name a model and its engine"}};
  }
  protocol::Checked check(std::int64_t) override { return {place_.index, {}}; }
  void park() override {}  // between slices there is no process
  void resume() override {}
  void evict() override {}
  void release() override {}
  [[nodiscard]] const sweep::ArmOutcome& report() const override { return report_; }
  bool send_ahead(const std::vector<measure::SliceRequest>&) override { return false; }
  bool begin(const std::vector<int>&) override { return false; }
  bool await_begun() override { return false; }
  [[nodiscard]] std::int64_t threads() const override { return threads_; }

 private:
  protocol::Exited run_once();
  double seconds_of(const protocol::Exited& exit) const;
  measure::SliceResult run_steps(const measure::SliceRequest& request);

  AgentSlot& slot_;
  const sweep::Command& command_;
  std::vector<std::string> argv_;  ///< with the interpreter that it asks for
  ArmPlace place_;
  std::int64_t threads_;
  std::optional<DisturbanceWatch> watch_;  ///< while it is compared
  sweep::ArmOutcome report_;
};

measure::Prepared CommandArm::prepare() {
  report_.environment = "command";
  if (asks_for_python(command_.argv.front())) {
    auto found = slot_.environments.python_of(command_.argv.front());
    if (const auto* missing = std::get_if<MissingEnvironment>(&found)) throw ArmEnded{sweep::Skipped{missing->reason}};
    argv_.front() = std::get<std::string>(std::move(found));
  }
  if (place_.own_process) watch_.emplace(std::nullopt, slot_.pool.cpus_for(threads_));
  slot_.pool.pause_others(nullptr);  // what other blocks left warm
  return {};
}

protocol::Exited CommandArm::run_once() {
  const PoolOptions& options = slot_.pool.options();
  const std::string log_path =
      fmt::format("{}/agent-{}-command-{}.log", options.log_folder, options.agent, command_.name);
  bool timed_out = false;
  try {
    auto exit = slot_.spawner.run({slot_.spawner.next_id(), argv_, command_.variables, slot_.pool.cpus_for(threads_),
                                   log_path, options.memory_bytes},
                                  options.timeout_seconds, timed_out);
    judge_exit(slot_.pool, exit, timed_out, log_path);
    return exit;
  } catch (const CouldNotStart& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
}

double CommandArm::seconds_of(const protocol::Exited& exit) const {
  if (command_.metric_key.empty()) return exit.seconds;
  try {
    return metric_of(exit.output, command_.metric_key);
  } catch (const InputError& error) {
    throw ArmEnded{sweep::Failed{FailureKind::reported, error.what()}};
  }
}

measure::SliceResult CommandArm::run_steps(const measure::SliceRequest& request) {
  measure::SliceResult result;
  for (std::int64_t step = 0; step < request.length.steps; ++step) {
    const protocol::Exited exit = run_once();
    result.samples.push_back({.slice = request.slice,
                              .arm = static_cast<std::uint16_t>(place_.index.value),
                              .phase = request.phase,
                              .start_seconds = exit.start_seconds,
                              .seconds = seconds_of(exit)});
    result.peak_bytes = std::max(result.peak_bytes, exit.peak_bytes);
  }
  return result;
}

measure::SliceResult CommandArm::slice(const measure::SliceRequest& request) {
  return watched_slice(watch_ ? &*watch_ : nullptr, request, [&] { return run_steps(request); });
}

}  // namespace

double metric_of(const std::string& output, const std::string& key) {
  std::istringstream lines(output);
  std::optional<double> found;
  for (std::string line; std::getline(lines, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_object() && object.contains(key) && object[key].is_number()) found = object[key].get<double>();
  }
  if (!found || *found < 0) {
    throw InputError(
        fmt::format("printed no JSON line with a number under '{}' (the metric of this command, in seconds); "
                    "print one, as {{\"{}\": 0.012}}",
                    key, key));
  }
  return *found;
}

std::unique_ptr<ProcessArm> make_command_arm(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place) {
  return std::make_unique<CommandArm>(slot, task, place);
}

}  // namespace regatta::launcher
