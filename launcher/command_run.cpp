#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "commands.hpp"
#include "finish.hpp"
#include "folder_lock.hpp"
#include "further_passes.hpp"
#include "mpirun.hpp"
#include "open_blocks.hpp"
#include "rank.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/results/store.hpp"
#include "topology.hpp"

namespace regatta::launcher {
namespace {

constexpr double lock_wait_seconds = 8;  // a killed launcher's job is gone after 5

int report_outcome(const std::filesystem::path& folder, const ProgressOptions& progress) {
  remove_temporaries(folder);
  const results::Results results = write_outputs(folder);
  print_report(results, folder);
  const int exit_code = exit_code_for(results);
  if (!progress.events.empty()) EventStream(progress.events).write(end_event(results, folder, exit_code));
  return exit_code;
}

std::vector<std::string> rank_command(const RunArguments& arguments) {
  const JobOptions& job = arguments.job;
  std::vector<std::string> command = {(executable_folder() / "regatta").string(),
                                      "run",
                                      job.sweep_file.string(),
                                      "--child",
                                      "--out",
                                      job.out.string(),
                                      "--command-line",
                                      job.command_line};
  if (arguments.progress.bar_columns > 0)
    command.insert(command.end(), {"--bar", std::to_string(arguments.progress.bar_columns)});
  if (!arguments.progress.events.empty()) command.push_back("--json-events-to=" + arguments.progress.events);
  for (const std::string& assignment : job.set) command.insert(command.end(), {"--set", assignment});
  for (const std::string& assignment : job.only) command.insert(command.end(), {"--only", assignment});
  if (!job.environments_file.empty()) command.insert(command.end(), {"--environments", job.environments_file.string()});
  if (job.rerun != Rerun::nothing) command.insert(command.end(), {"--rerun", to_string(job.rerun)});
  if (!job.time.empty()) command.insert(command.end(), {"--for", job.time});
  if (!job.read_as.empty()) command.insert(command.end(), {"--read-as", job.read_as.string()});
  return command;
}

bool work_left(const Job& job) { return open_blocks(job).finished.size() < job.plan.blocks.size(); }

void announce(const Job& job, int ranks) {
  const auto skipped =
      std::ranges::count_if(job.plan.trials, [](const sweep::Trial& trial) { return trial.skip_reason.has_value(); });
  log::info(fmt::format("{}: {} trials in {} blocks on {} rank{}, {} skipped", job.sweep.name, job.plan.trials.size(),
                        job.plan.blocks.size(), ranks, ranks == 1 ? "" : "s", skipped));
  for (const std::string& line : left_out_lines(job)) log::info(line);
  for (const std::string& line : measured_last_lines(job)) log::info(line);
  log::info(fmt::format("results go to {}", job.folder().string()));
  if (const std::size_t others = other_blocks(job); others > 0) {
    log::info(
        fmt::format("{} block{} there {} of other points (another --set, --only or text of the sweep): kept, but in no "
                    "table of this run; the command that measured them shows them again",
                    others, others == 1 ? "" : "s", others == 1 ? "is" : "are"));
  }
}

int launch(RunArguments arguments) {
  if (!arguments.progress.events.empty()) {
    arguments.progress.events = place_for_others(arguments.progress.events);
    const EventStream can_be_opened(arguments.progress.events);  // else say so before anything starts
  }
  const Job job = read_job(arguments.job);
  const bool is_new = job.options.rerun == Rerun::nothing && work_left(job);
  MeasureEnd end = measure_job(arguments, job, [&](int ranks) { announce(job, ranks); });
  if (is_new && end.exit_code == 0 && !end.interrupted) end = measure_further(arguments, job);
  if (end.exit_code != 0) return end.exit_code;
  return report_outcome(job.folder(), arguments.progress);
}

int be_a_rank(const RunArguments& arguments) {
  const RankEnd end = run_rank(arguments.job, arguments.progress);
  if (end.rank != 0 || arguments.child) return 0;
  const Job job = read_job(arguments.job);
  return report_outcome(job.folder(), arguments.progress);
}

}  // namespace

MeasureEnd measure_job(const RunArguments& arguments, const Job& job, const std::function<void(int)>& begins) {
  const FolderLock lock(job.folder(), lock_wait_seconds);
  const int ranks = arguments.ranks.value_or(default_slots(read_topology()));
  begins(ranks);
  remove_temporaries(job.folder());
  sweep_scratch(job.folder());
  // Without a plan record of this very sweep the journal cannot tell what was asked for.
  if (work_left(job) || !results::is_current(job.folder(), job.sweep)) {
    const MpirunEnd end = run_mpirun({ranks, rank_command(arguments), job.folder()});
    if (arguments.progress.bar_columns > 0 && blocks_missing(job))
      fmt::print(stderr, "\n");  // a full bar has ended its line
    if (end.exit_code == 74)
      throw StorageError(
          "the journal could not be written; nothing that was acknowledged is lost. Free space or repair the disk, "
          "then run the same command again");
    if (end.exit_code == 2) return {2, false};  // a rank said what is wrong
    if (end.exit_code != 0 && !end.interrupted) {
      log::warn(fmt::format("the job ended early (mpirun: status {}); what was acknowledged is kept", end.exit_code));
    }
    return {0, end.interrupted};
  }
  return {};
}

int run(const RunArguments& arguments) {
  if (arguments.ranks && *arguments.ranks < 1) {
    throw InputError(
        fmt::format("--ranks: found {}, expected at least 1 (each rank owns a slot); give a number above zero, or "
                    "leave the option out",
                    *arguments.ranks));
  }
  return arguments.child || started_as_rank() ? be_a_rank(arguments) : launch(arguments);
}

}  // namespace regatta::launcher
