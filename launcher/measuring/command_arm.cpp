#include "measuring/command_arm.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "children/worker_death.hpp"
#include "host/cgroups.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using sweep::FailureKind;

std::string with_last_words(std::string message, const std::string& log_path) {
  const std::string tail = log_tail(log_path);
  return tail.empty() ? message : fmt::format("{}; its last words:\n{}", message, tail);
}

void judge_exit(const Bench& bench, const protocol::Exited& exit, bool timed_out, const std::string& log_path,
                std::uint64_t oom_kills_since) {
  if (timed_out) {
    throw WorkerDied(FailureKind::timed_out,
                     with_last_words(fmt::format("did not end within limits.trial_timeout, {} s",
                                                 bench.pool.options().timeout_seconds),
                                     log_path));
  }
  const Death death = cause_of_death(exit, bench.pool.options().memory_bytes, oom_kills_since);
  if (!WIFEXITED(exit.wait_status) || exit.flooded)
    throw WorkerDied(death.kind, with_last_words(death.message, log_path));
  if (WEXITSTATUS(exit.wait_status) != 0)
    throw ArmEnded{sweep::Failed{FailureKind::reported, with_last_words(death.message, log_path)}};
}

protocol::Exited run_once(Bench& bench, Arm& arm) {
  const WorkerId id = bench.spawner.next_id();
  const std::string log_path = fmt::format("{}/agent-{}-command-{}.log", bench.pool.options().log_folder,
                                           bench.pool.options().agent, arm.command->name);
  const std::uint64_t oom_kills_before = oom_kills({}, "self");
  bool timed_out = false;
  try {
    auto exit = bench.spawner.run(
        {id, arm.command->argv, {}, bench.pool.cpus_for(1), log_path, bench.pool.options().memory_bytes},
        bench.pool.options().timeout_seconds, timed_out);
    judge_exit(bench, exit, timed_out, log_path, oom_kills({}, "self") - oom_kills_before);
    return exit;
  } catch (const CouldNotStart& error) {
    throw ArmEnded{sweep::Failed{FailureKind::could_not_start, error.what()}};
  }
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

std::vector<stats::Sample> run_command_slice(Bench& bench, Arm& arm, stats::Phase phase, std::uint32_t slice,
                                             std::int64_t steps) {
  std::vector<stats::Sample> samples;
  for (std::int64_t step = 0; step < steps; ++step) {
    const protocol::Exited exit = run_once(bench, arm);
    double seconds = exit.seconds;
    if (!arm.command->metric_key.empty()) {
      try {
        seconds = metric_of(exit.output, arm.command->metric_key);
      } catch (const InputError& error) {
        throw ArmEnded{sweep::Failed{FailureKind::reported, error.what()}};
      }
    }
    samples.push_back({.slice = slice,
                       .arm = static_cast<std::uint16_t>(arm.index.value),
                       .phase = phase,
                       .start_seconds = exit.start_seconds,
                       .seconds = seconds});
    sweep::note_peak_bytes(arm.report, exit.peak_bytes);
  }
  return samples;
}

}  // namespace regatta::launcher
