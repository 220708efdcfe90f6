#include "run/measure_job.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/topology.hpp"
#include "job/job.hpp"
#include "job/passes.hpp"
#include "os/scratch_folder.hpp"
#include "ranks/mpirun.hpp"
#include "ranks/mpirun_scratch.hpp"
#include "ranks/rank.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/results/store.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

constexpr double lock_wait_seconds = 8;  // a killed launcher's job is gone after 5

std::vector<std::string> rank_command(const RunArguments& arguments, std::uint64_t epoch) {
  const JobOptions& job = arguments.job;
  std::vector<std::string> command = {(executable_folder() / "regatta").string(),
                                      "run",
                                      job.sweep_file.string(),
                                      "--child",
                                      "--epoch",
                                      std::to_string(epoch),
                                      "--out",
                                      job.out.string(),
                                      "--command-line",
                                      job.command_line,
                                      "--rank-timeout",
                                      fmt::format("{}s", arguments.rank_timeout_seconds)};
  if (arguments.progress.bar_columns > 0)
    command.insert(command.end(), {"--bar", std::to_string(arguments.progress.bar_columns)});
  if (!arguments.progress.events.empty()) command.push_back("--json-events-to=" + arguments.progress.events);
  for (std::string& word : sweep_changes(job)) command.push_back(std::move(word));
  if (job.rerun != Rerun::nothing) command.insert(command.end(), {"--rerun", to_string(job.rerun)});
  if (job.keep_changed) command.push_back("--keep-changed");
  if (job.one_by_one) command.push_back("--one-by-one");
  if (job.smoke) command.push_back("--smoke");
  if (arguments.progress.is_quiet) command.push_back("--quiet");
  if (!job.time.empty()) command.insert(command.end(), {"--for", job.time});
  if (!job.read_as.empty()) command.insert(command.end(), {"--read-as", job.read_as.string()});
  return command;
}

/// The limit of a resource of this process, where it is lower than needed.
std::optional<rlim_t> too_low(__rlimit_resource what, rlim_t needed) {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0 || limit.rlim_cur >= needed) return std::nullopt;
  return limit.rlim_cur;
}

/// So many on few cores take minutes to start, and do not hear when they are to stop.
void refuse_crowds(int ranks) {
  constexpr unsigned most_of_a_core = 64;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  if (static_cast<unsigned>(ranks) <= most_of_a_core * cores) return;
  throw InputError(fmt::format(
      "--ranks {}: this machine has {} core{}, and more than {} ranks for each take minutes to start and "
      "to stop; start as many as the sweep's trials want ('regatta plan' says), or more nodes by mpirun or srun",
      ranks, cores, cores == 1 ? "" : "s", most_of_a_core));
}

/// With less Open MPI's launcher crashes, or waits for ever.
void refuse_low_limits(int ranks) {
  constexpr rlim_t kib = 1024;
  constexpr rlim_t address_bytes = rlim_t{512} << 20;             // at 200 MiB its parts fail to load
  constexpr rlim_t segment_bytes = (rlim_t{4} << 20) + 64 * kib;  // shared memory of one rank
  const rlim_t files = 48 + 8 * static_cast<rlim_t>(ranks);
  const std::string job = fmt::format("starting {} rank{} takes", ranks, ranks == 1 ? "" : "s");
  if (const auto limit = too_low(RLIMIT_NOFILE, files))
    throw StorageError(
        fmt::format("a process may open {} files here, and {} {}; raise `ulimit -n`", *limit, job, files));
  if (const auto limit = too_low(RLIMIT_FSIZE, segment_bytes))
    throw StorageError(
        fmt::format("a file may have {} KiB here, and {} {} KiB of shared memory each; raise `ulimit -f`", *limit / kib,
                    job, segment_bytes / kib));
  if (const auto limit = too_low(RLIMIT_AS, address_bytes))
    throw StorageError(fmt::format("a process may have {} KiB of address space here, and {} {} KiB; raise `ulimit -v`",
                                   *limit / kib, job, address_bytes / kib));
}

bool work_left(const Job& job, const results::Scan& journal, const OpenBlocks& open) {
  if (!is_all_finished(job, open) || passes_due(job, journal)) return true;
  if (tells_changes_anew(job, journal)) return true;
  // Without a plan record of this very sweep the journal cannot tell what was asked for.
  return !results::is_current(journal, job.sweep);
}

/// Whether there is something to measure.
bool begin(const Job& job, int ranks, const Begins& begins, std::future<results::Scan> records) {
  const results::Scan journal = resume(job, lock_wait_seconds, records.valid() ? records.get() : results::Scan());
  const OpenBlocks open = open_blocks(job, journal);
  begins(ranks, journal, open);
  return work_left(job, journal, open);
}

/// A job that ended early may have died before its first record, or its folder was taken from it.
std::string what_is_kept(const Job& job) {
  if (results::is_current(results::read_store(job.folder()), job.sweep)) return "acknowledged results are kept";
  return fmt::format(
      "the journal in {} holds nothing of this sweep (did the job die before it began, or was the "
      "folder removed while it ran?)",
      job.folder().string());
}

}  // namespace

namespace {

/// Measuring slots share no cache; training asks for all cores.
int usual_ranks(const Job& job) {
  const Topology topology = read_topology();
  if (!job.sweep.training) return default_slots(topology);
  std::int64_t cores = 1;
  for (const sweep::Block& block : job.plan.blocks) cores = std::max(cores, block.demand.cores);
  return training_slots(topology, cores);
}

}  // namespace

MeasureEnd measure_job(const RunArguments& arguments, const Job& job, const Begins& begins,
                       std::future<results::Scan> records) {
  const int ranks = arguments.ranks.value_or(usual_ranks(job));
  refuse_crowds(ranks);
  static_cast<void>(temporary_folder());  // where there is none, nothing is made
  FolderLock lock(job.folder(), lock_wait_seconds);
  refuse_low_limits(ranks);
  remove_temporaries(job.folder());
  sweep_scratch(job.folder());
  if (begin(job, ranks, begins, std::move(records))) {
    const MpirunEnd end =
        run_mpirun({ranks, rank_command(arguments, lock.epoch()), job.folder(), arguments.rank_timeout_seconds});
    if (arguments.progress.bar_columns > 0 && blocks_missing(job, results::read_store(job.folder())))
      fmt::print(stderr, "\n");  // a full bar has ended its line
    if (end.exit_code == exit_code::storage)
      throw StorageError(
          "this run could not be written to the disk; nothing that was acknowledged is lost. Free space or repair the "
          "disk, then run the same command again");
    if (end.exit_code == refused_by_rank)
      return {exit_code::bad_input, false, std::move(lock)};  // it said what is wrong
    if (end.exit_code != 0 && !end.interrupted) {
      log::warn(fmt::format("the job ended early (mpirun: status {}); {}", end.exit_code, what_is_kept(job)));
    }
    return {0, end.interrupted, std::move(lock)};
  }
  return {0, false, std::move(lock)};
}

}  // namespace regatta::launcher
