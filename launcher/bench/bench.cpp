#include "bench/bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "bench/allreduce.hpp"
#include "bench/process_figures.hpp"
#include "bench/sweep_run.hpp"
#include "os/scratch_folder.hpp"
#include "ranks/rank.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/log.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

/// How much is run for each figure.
struct Size {
  int rounds = 5;
  std::size_t one_by_one = 10'000;
  std::size_t batched = 50'000;
  std::size_t commands = 2000;
  std::size_t durable = 100'000;
  std::size_t finished = 100'000;
  double idle_seconds = 4;
  std::uint32_t agents = 4096;
  std::uint32_t scheduled_trials = 1'000'000;
};

Size size_of(bool quick) {
  Size size;
  if (!quick) return size;
  size.rounds = 1;
  size.one_by_one = 2000;
  size.batched = 10'000;
  size.commands = 400;
  size.durable = 30'000;
  size.idle_seconds = 1;
  return size;
}

void refuse_a_users_job() {
  if (!started_as_rank()) return refuse_lone_tasks();
  throw InputError(
      "bench was started as a rank of a job, but it starts ranks of its own. Every rank would measure the others doing "
      "the same. Start it once, plainly: `regatta bench --ranks N`, in an allocation without mpirun and srun");
}

/// All ranks of the job take part, and one of them tells.
int bench_nodes(const BenchOptions& options, bool json) {
  if (!started_as_rank())
    throw InputError(
        "bench --nodes measures messages between the nodes of a job, and here is one process alone. Start it as a job: "
        "`mpirun -n N regatta bench --nodes`, or srun");
  const NodeLinks found = measure_node_links(size_of(options.quick).rounds);
  if (found.is_told_here) fmt::print("{}", json ? to_json(found) : to_text(found));
  return exit_code::done;
}

class Bench {
 public:
  Bench(const BenchOptions& options, const std::function<void(const std::string&)>& progress)
      : progress_(progress), size_(size_of(options.quick)) {
    if (options.ranks > 0) found_.rate_ranks = found_.start_ranks = options.ranks;
    found_.idle_ranks = std::max(2, found_.start_ranks);
  }

  BenchFound run() {
    for (round_ = 1; round_ <= size_.rounds; ++round_) {
      starts();
      rates();
      ranks();
      alone();
    }
    return std::move(found_);
  }

 private:
  void say(const std::string& what) { progress_(fmt::format("round {} of {}: {}", round_, size_.rounds, what)); }

  void note(Figure figure, double value) {
    signals_.sleep(0);  // a request to stop need not wait for the next run
    found_.values[static_cast<std::size_t>(figure)].push_back(value);
  }

  /// A folder of its own for each run, so that none finds what another left.
  std::filesystem::path folder() { return scratch_.path / std::to_string(++folders_); }

  void starts() {
    say("starting");
    const StartSeconds start = start_seconds(signals_, folder(), found_.start_ranks);
    note(Figure::first_trial, start.first_trial);
    note(Figure::sweep_exit, start.whole);
  }

  void rates() {
    say("no-op trials, one by one");
    note(Figure::noop_trials, noop_rate(signals_, folder(), found_.rate_ranks, size_.one_by_one, true));
    say("no-op trials, in lots");
    note(Figure::batched_trials, noop_rate(signals_, folder(), found_.rate_ranks, size_.batched, false));
    say("programs");
    note(Figure::command_trials, command_rate(signals_, folder(), found_.rate_ranks, size_.commands));
  }

  void ranks() {
    say("ranks without work");
    const IdleRank idle = idle_rank(signals_, folder(), found_.idle_ranks, size_.idle_seconds);
    note(Figure::idle_core_share, idle.core_share);
    note(Figure::idle_pss, idle.pss_bytes);
    say("a worker is killed");
    note(Figure::slot_ready, slot_ready_seconds(signals_, folder()));
    say("going on with 100,000 finished trials");
    if (!finished_) finished_.emplace(signals_, folder(), found_.rate_ranks, size_.finished);
    note(Figure::resume, finished_->resume_seconds());
  }

  void alone() {
    constexpr double slower_seconds = 5e-3;
    say("results made durable");
    const SweepPlace place = noops(folder(), "durable", size_.durable);
    const sweep::Sweep sweep = sweep::read_sweep(place.sweep_file(), sweep::any_environment());
    const sweep::Plan plan = sweep::make_plan(sweep);
    const auto agents = static_cast<std::uint32_t>(found_.rate_ranks);
    note(Figure::durable_results, durable_rate(sweep, plan, place.store(), agents, 0));
    note(Figure::durable_5ms, durable_rate(sweep, plan, folder(), agents, slower_seconds));
    say("the scheduler");
    const SchedulerLoad load = schedule_all(size_.agents, size_.scheduled_trials);
    note(Figure::scheduler_decisions, static_cast<double>(load.decisions) / load.seconds);
    for (const auto& each : std::filesystem::directory_iterator(scratch_.path)) remove_unless_kept(each.path());
  }

  /// Keeps the folder that the next round goes on with.
  void remove_unless_kept(const std::filesystem::path& path) const {
    if (finished_ && path == finished_->folder()) return;
    std::filesystem::remove_all(path);
  }

  const std::function<void(const std::string&)>& progress_;
  Size size_;
  StopSignals signals_;
  ScratchFolder scratch_{"bench"};
  BenchFound found_;
  std::optional<FinishedTrials> finished_;
  int round_ = 0;
  int folders_ = 0;
};

}  // namespace

BenchFound measure_orchestrator(const BenchOptions& options, const std::function<void(const std::string&)>& progress) {
  refuse_a_users_job();
  return Bench(options, progress).run();
}

int bench(const BenchOptions& options, bool json) {
  if (options.nodes) return bench_nodes(options, json);
  if (options.allreduce) {
    refuse_a_users_job();
    const AllreduceFound found = measure_allreduce(options.ranks, size_of(options.quick).rounds);
    fmt::print("{}", json ? to_json(found) : to_text(found));
    return exit_code::done;
  }
  try {
    const BenchFound found = measure_orchestrator(options, [](const std::string& what) { log::info(what); });
    fmt::print("{}", json ? to_json(found) : to_text(found));
    return exit_code::done;
  } catch (const Stopped&) {
    log::info("stopped; nothing of it is left behind");
    return exit_code::work_left;
  }
}

}  // namespace regatta::launcher
