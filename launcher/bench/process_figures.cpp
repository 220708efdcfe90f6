#include "bench/process_figures.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

#include "os/process_tree.hpp"
#include "regatta/base/error.hpp"
#include "regatta/results/open_work.hpp"
#include "regatta/results/store.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t samples_of_noop = 2;

std::uint64_t bytes_of_noops(std::size_t trials) { return trials * samples_of_noop * sizeof(stats::Sample); }

/// From the first recorded trial to the last, on the wall clock.
struct Stretch {
  double start = std::numeric_limits<double>::infinity();
  double end = 0;
};

Stretch recorded(const SweepPlace& place) {
  Stretch stretch;
  for (const results::TrialRow& row : results::open_work(place.store()).results.trials) {
    if (!std::holds_alternative<sweep::Finished>(row.outcome)) continue;
    stretch.start = std::min(stretch.start, row.start_wall_seconds);
    stretch.end = std::max(stretch.end, row.end_wall_seconds);
  }
  return stretch;
}

double written_wall_seconds(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return 0;
  return static_cast<double>(info.st_mtim.tv_sec) + 1e-9 * static_cast<double>(info.st_mtim.tv_nsec);
}

double rate(const StopSignals& signals, const SweepPlace& place, int ranks, std::size_t trials,
            const std::vector<std::string>& options) {
  SweepRun(signals, place, ranks, options).finish();
  const Stretch stretch = recorded(place);
  const double end = std::max(stretch.end, written_wall_seconds(results::journal_file(place.store())));
  return static_cast<double>(trials) / (end - stretch.start);
}

double cpu_seconds(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    throw InternalError("a rank ended while it should be idle; see what `regatta doctor` says");
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// Its share of memory that it has in common with others counted in parts.
double pss_bytes(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  for (std::string word; file >> word;) {
    if (double kib = 0; word == "Pss:" && file >> kib) return kib * 1024;
  }
  return 0;
}

/// The ranks that do not run the program.
std::vector<pid_t> idle_ranks(const SweepRun& run, const std::string& program) {
  std::vector<pid_t> ranks = run.ranks();
  std::erase_if(ranks, [&](pid_t rank) {
    const auto below = descendants(rank);
    return std::ranges::any_of(run.processes(program),
                               [&](pid_t pid) { return std::ranges::find(below, pid) != below.end(); });
  });
  return ranks;
}

}  // namespace

double noop_rate(const StopSignals& signals, const std::filesystem::path& folder, int ranks, std::size_t trials,
                 bool one_by_one) {
  const std::vector<std::string> options =
      one_by_one ? std::vector<std::string>{"--one-by-one"} : std::vector<std::string>();
  return rate(signals, noops(folder, "noops", trials), ranks, trials, options);
}

double command_rate(const StopSignals& signals, const std::filesystem::path& folder, int ranks, std::size_t trials) {
  return rate(signals, programs(folder, "programs", {"/bin/true"}, trials), ranks, trials, {});
}

StartSeconds start_seconds(const StopSignals& signals, const std::filesystem::path& folder, int ranks) {
  constexpr std::size_t trials = 4;
  const SweepPlace place = noops(folder, "four", trials);
  SweepRun run(signals, place, ranks);
  run.finish();
  const double whole = run.elapsed_seconds();
  return {recorded(place).start - run.start_wall_seconds(), whole};
}

IdleRank idle_rank(const StopSignals& signals, const std::filesystem::path& folder, int ranks, double seconds) {
  constexpr double settle_seconds = 1;  // until ranks look about themselves as seldom as they ever do
  const std::string nap = fmt::format("{:.0f}", seconds + 60);
  SweepRun run(signals, programs(folder, "nap", {"sleep", nap}, 1), ranks);
  if (!run.wait_until([&] { return !run.processes("sleep").empty(); })) run.finish();
  signals.sleep(settle_seconds);
  const std::vector<pid_t> idle = idle_ranks(run, "sleep");
  if (idle.empty()) throw InternalError("no idle rank was found (there is no /proc?)");
  std::vector<double> before;
  for (const pid_t pid : idle) before.push_back(cpu_seconds(pid));
  const double start = steady_seconds();
  signals.sleep(seconds);
  const double taken = steady_seconds() - start;
  IdleRank most;
  for (std::size_t i = 0; i < idle.size(); ++i) {
    most.core_share = std::max(most.core_share, (cpu_seconds(idle[i]) - before[i]) / taken);
    most.pss_bytes = std::max(most.pss_bytes, pss_bytes(idle[i]));
  }
  return most;
}

double slot_ready_seconds(const StopSignals& signals, const std::filesystem::path& folder) {
  constexpr std::size_t trials = 60'000;  // more than are run
  constexpr std::size_t warm = 2000;
  constexpr double settle_seconds = 0.05;
  const SweepPlace place = noops(folder, "killed", trials);
  SweepRun run(signals, place, 1);
  run.wait_until([&] { return sample_bytes(place) >= bytes_of_noops(warm); });
  const std::vector<pid_t> workers = run.processes("regatta-worker");
  if (workers.empty()) throw InternalError("no worker was found while no-op trials ran (there is no /proc?)");
  ::kill(workers.front(), SIGKILL);
  const double killed = wall_seconds();
  signals.sleep(settle_seconds);  // trials that ended before are recorded by then
  const std::uint64_t then = sample_bytes(place);
  run.wait_until([&] { return sample_bytes(place) >= then + bytes_of_noops(warm); });
  run.kill();
  double first = std::numeric_limits<double>::infinity();
  for (const results::TrialRow& row : results::open_work(place.store()).results.trials) {
    if (row.end_wall_seconds > killed) first = std::min(first, row.end_wall_seconds);
  }
  return first - killed;
}

FinishedTrials::FinishedTrials(const StopSignals& signals, const std::filesystem::path& folder, int ranks,
                               std::size_t trials)
    : signals_(signals), folder_(folder), ranks_(ranks), trials_(trials) {
  const SweepPlace place = noops(folder, "resumed", trials);
  SweepRun run(signals, place, ranks);
  const auto is_recorded = [&] { return sample_bytes(place) >= bytes_of_noops(trials); };
  const auto has_file = [&] { return std::filesystem::exists(folder / "resumed.html"); };
  run.wait_until([&] { return is_recorded() || has_file(); });
  constexpr double sync_seconds = 0.2;
  signals.sleep(sync_seconds);
  run.kill();
}

double FinishedTrials::resume_seconds() {
  constexpr std::size_t more_trials = 5000;
  trials_ += more_trials;
  const SweepPlace place = noops(folder_, "resumed", trials_);
  const std::uint64_t before = sample_bytes(place);
  SweepRun run(signals_, place, ranks_);
  run.wait_until([&] { return sample_bytes(place) > before; });
  const double seconds = run.elapsed_seconds();
  run.kill();
  return seconds;
}

}  // namespace regatta::launcher
