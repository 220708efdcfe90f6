#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/printing.hpp"
#include "job/data_checks.hpp"
#include "job/foretold.hpp"
#include "job/job.hpp"
#include "job/kept_spreads.hpp"
#include "job/open_blocks.hpp"
#include "job/passes.hpp"
#include "os/drain_signal.hpp"
#include "ranks/rank.hpp"
#include "ranks/ranks.hpp"
#include "regatta/analysis/labels.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/lease.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/base/units.hpp"
#include "regatta/results/lives.hpp"
#include "regatta/results/open_work.hpp"
#include "regatta/results/store.hpp"
#include "run/measure_job.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

void tell_end(const std::string& event, const ProgressOptions& progress) {
  if (!progress.events.empty()) EventStream(progress.events).write(event);
}

/// A batch script cannot trust what started the ranks: srun may return 0 without having started one. Written in place:
/// the script, perhaps on another node, made this very file.
void tell_exit_code(const std::filesystem::path& file, int exit_code) {
  if (file.empty()) return;
  std::ofstream written(file);
  written << exit_code << '\n' << std::flush;
  if (!written)
    throw StorageError(fmt::format("--exit-code-to: cannot write '{}' (exit code {}); free space or name another file",
                                   file.string(), exit_code));
}

constexpr const char* begun_word = "begun";

/// A batch script that finds this and no exit code knows that the ranks were started and killed.
void tell_begun(const std::filesystem::path& file) {
  if (!file.empty()) std::ofstream(file) << begun_word << std::endl;
}

/// A run whose job ended before it recorded even the plan.
results::Results nothing_recorded(const Job& job) {
  results::Results results;
  results.name = job.sweep.name;
  for (const sweep::Trial& trial : job.plan.trials) {
    sweep::Outcome outcome = sweep::Lost{};
    if (trial.skip_reason) outcome = sweep::Skipped{*trial.skip_reason};
    results.trials.emplace_back().outcome = std::move(outcome);
  }
  return results;
}

results::Results recorded(const Job& job, const results::Scan& journal) {
  results::Results results = results::collect(job.folder(), journal, {job.sweep, job.plan});
  results::reopen(results, results::interrupted_blocks(journal));
  if (job.sweep.training) reopen_due(job.sweep, results);
  return results;
}

/// Renders nothing: a user who asked a run to stop does not wait for that.
int report_stop(const results::Results& results, const ProgressOptions& progress) {
  log::info(stopped_line(results));
  tell_end(stop_event(results), progress);
  return exit_code::work_left;
}

bool failed_before(const results::TrialRow& row, double started_wall_seconds) {
  return std::holds_alternative<sweep::Failed>(row.outcome) && row.end_wall_seconds < started_wall_seconds;
}

/// Opens the failed trials that a stopped run had still to try again. Returns how many they are.
std::size_t reopen_untried(results::Results& results, double started_wall_seconds) {
  std::size_t count = 0;
  for (results::TrialRow& row : results.trials) {
    if (!failed_before(row, started_wall_seconds)) continue;
    row.outcome = sweep::Lost{};
    ++count;
  }
  return count;
}

/// An error that an earlier run met is not to be read as one of now.
void tell_old_failures(const results::Results& results, double started_wall_seconds) {
  const auto old = std::ranges::count_if(
      results.trials, [&](const results::TrialRow& row) { return failed_before(row, started_wall_seconds); });
  if (old == 0) return;
  log::warn(fmt::format(
      "{} failed trial{} of an earlier run and {} not tried again, because nothing that decides {} changed; "
      "--rerun failed tries {}",
      old, old == 1 ? " is" : "s are", old == 1 ? "was" : "were", old == 1 ? "it" : "them", old == 1 ? "it" : "them"));
}

/// The first and the last line of an error, as one line. Most programs name the cause in the last one.
std::string in_one_line(const std::string& message) {
  const std::string first = message.substr(0, message.find('\n'));
  const auto end = message.find_last_not_of(" \n");
  const auto last_line = message.rfind('\n', end);
  if (end == std::string::npos || last_line == std::string::npos) return clean(first);
  return clean(fmt::format("{} {}", first, message.substr(last_line + 1, end - last_line)));
}

/// Why a trial ran no step; empty if it did.
std::string smoke_problem(const sweep::Outcome& outcome) {
  if (std::holds_alternative<sweep::Lost>(outcome)) return "not run yet";
  if (const auto* failed = std::get_if<sweep::Failed>(&outcome)) return "failed: " + in_one_line(failed->message);
  if (const auto* skipped = std::get_if<sweep::Skipped>(&outcome)) return "skipped: " + clean(skipped->reason);
  return {};
}

/// Whether each trial runs: nothing else is to be read from one step.
void tell_smoke(const results::Results& results, const ProgressOptions& progress) {
  constexpr std::size_t most_named = 5;
  std::map<std::string, std::vector<std::string>> problems;
  std::size_t ran = 0;
  const analysis::Axes axes = analysis::axes_of(results);
  for (const results::TrialRow& row : results.trials) {
    const std::string problem = smoke_problem(row.outcome);
    if (problem.empty())
      ++ran;
    else
      problems[problem].push_back(clean(analysis::trial_label(row.parameters, axes)));
  }
  if (progress.is_quiet) return;
  fmt::print("{}: {} of {} ran a step (--smoke: nothing here is a measurement)\n", results.name, ran,
             counted(results.trials.size(), "trial"));
  for (auto& [problem, names] : problems) {
    const std::size_t count = names.size();
    names.resize(std::min(count, most_named));
    fmt::print("{} x {}\n  {}{}\n", count, problem, fmt::join(names, "\n  "),
               count > most_named ? fmt::format("\n  and {} more", count - most_named) : "");
  }
  std::fflush(stdout);
}

/// A run, and when it began.
struct Ran {
  bool interrupted = false;
  double started_wall_seconds = 0;
};

/// When a run began whose failures are its own: over all lives of a --rerun failed.
double rerun_began(const Job& job, const results::Scan& journal, const Ran& ran) {
  if (job.options.rerun != Rerun::failed) return ran.started_wall_seconds;
  return results::rerun_since(journal).value_or(ran.started_wall_seconds);
}

/// Nothing if it had done all of it when it was asked to stop.
std::optional<int> report_interrupted(const Job& job, const ProgressOptions& progress, const Ran& ran,
                                      const results::Scan& journal, bool is_open) {
  const bool tries_again = job.options.rerun == Rerun::failed;
  if (!is_open && !tries_again) return std::nullopt;
  results::Results so_far = recorded(job, journal);
  const bool tried_all = !tries_again || reopen_untried(so_far, rerun_began(job, journal, ran)) == 0;
  if (!is_open && tried_all) return std::nullopt;
  const int exit_code = report_stop(so_far, progress);
  log::info(
      fmt::format("a run that stops makes no page and no result file; `regatta collect {}` makes them of what "
                  "there is",
                  shell_path(job.folder())));
  return exit_code;
}

/// The work that a run has left, as far as is recorded.
struct Left {
  bool blocks = false;        ///< some blocks are not measured yet
  bool passes = false;        ///< a pass over the best or the undecided is due
  bool out_of_reach = false;  ///< the same command with as many ranks as here cannot go on
};

Left left_by(const Job& job, const results::Scan& journal) {
  Left left{blocks_missing(job, journal), passes_due(job, journal)};
  left.out_of_reach = left.blocks && results::left_by_sessions(journal, job.sweep).out_of_reach;
  return left;
}

/// Whether the last session ended without a word, as where a rank was killed.
bool was_cut_off(const results::Scan& journal) {
  const auto last = std::find_if(journal.records.rbegin(), journal.records.rend(), [](const results::Record& record) {
    return record.kind == results::RecordKind::header || record.kind == results::RecordKind::session_end;
  });
  return last != journal.records.rend() && last->kind == results::RecordKind::header;
}

/// Failed trials that a --rerun failed had still to try when it was cut off.
bool has_untried(const Job& job, const results::Scan& journal, const results::Results& results, double tried_since) {
  return job.options.rerun == Rerun::failed && was_cut_off(journal) &&
         std::ranges::any_of(results.trials, [&](const auto& row) { return failed_before(row, tried_since); });
}

/// Says how to go on with what is left, if anything.
int exit_code_with(const Left& left, const Job& job, const results::Results& results) {
  if (left.out_of_reach) return exit_code::out_of_reach;  // the ranks have already named what it needs
  if (left.blocks && job.sweep.training) log::warn("the training is not over; run the same command again to go on");
  if (left.passes && !left.blocks)
    log::warn("the best or the undecided are still to be measured again; run the same command again to go on");
  const int of_results = exit_code_for(results);
  return left.blocks || left.passes ? exit_code::work_left : of_results;
}

int report_results(const Job& job, const ProgressOptions& progress, const Ran& ran) {
  const std::filesystem::path folder = job.folder();
  const results::Scan journal = results::read_store(folder);
  const Left left = left_by(job, journal);
  const double tried_since = rerun_began(job, journal, ran);
  remove_temporaries(folder);
  if (!results::is_current(journal, job.sweep)) return report_stop(nothing_recorded(job), progress);
  if (ran.interrupted) {
    const bool is_open = left.blocks || left.passes;
    if (const auto exit_code = report_interrupted(job, progress, ran, journal, is_open)) return *exit_code;
  }
  results::Results collected = results::collect(folder, journal, {job.sweep, job.plan});
  if (job.sweep.training) collected.complete = !left.blocks;
  const Outputs outputs = write_outputs(folder, std::move(collected), &journal);
  if (job.sweep.training && !left.blocks && !job.sweep.training->keep_weights)
    std::filesystem::remove_all(folder / "checkpoints");  // nothing is trained on from them
  if (job.options.smoke)
    tell_smoke(outputs.results, progress);
  else if (!progress.is_quiet)
    print_report(outputs, folder);
  StartHistory history(user_cache_folder());
  remember_starts(job, outputs.results, ran.started_wall_seconds, history);
  keep_spreads(job, outputs.results, journal);
  tell_old_failures(outputs.results, tried_since);
  for (const std::string& what : changed_meanwhile(job))
    log::warn(fmt::format("{} changed while this ran: its rows may be of either, and the next run measures them again",
                          what));
  int exit_code = exit_code_with(left, job, outputs.results);
  if (exit_code == exit_code::some_failed && has_untried(job, journal, outputs.results, tried_since)) {
    log::warn("some failed trials were not tried again yet; run the same command again to go on");
    exit_code = exit_code::work_left;
  }
  tell_end(end_event(outputs, folder, exit_code), progress);
  return exit_code;
}

int report_outcome(const RunArguments& arguments, const Job& job, const Ran& ran) {
  const int exit_code = with_output([&] { return report_results(job, arguments.progress, ran); });
  tell_exit_code(arguments.exit_code_to, exit_code);
  return exit_code;
}

/// Asks whoever sits there; a script is only told.
void agree_to(const std::string& warning) {
  log::warn(warning);
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "Go on? [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  if (!answer.starts_with('y') && !answer.starts_with('Y'))
    throw InputError("nothing was run, as you did not say yes; run the same command again to be asked again");
}

std::size_t trials_that_fit(const Job& job) {
  return static_cast<std::size_t>(std::ranges::count_if(job.plan.trials, [&](const sweep::Trial& trial) {
    return !trial.skip_reason && !job.unfit.contains(trial.index);
  }));
}

/// Tells what is still to be measured, if anything.
void announce_time(const Job& job, std::size_t fit, int ranks, const results::Scan& journal, const OpenBlocks& open) {
  if (is_all_finished(job, open)) {
    if (fit == 0)
      log::info("nothing can be measured here, as every trial is skipped");
    else if (!passes_due(job, journal))
      log::info(
          fmt::format("everything is measured already. --rerun failed tries failed trials again, --rerun undecided "
                      "measures open comparisons on. --out puts a fresh run elsewhere than {}",
                      job.folder().string()));
    return;
  }
  if (job.sweep.training) return log::info("first " + purpose_of(job, *open.legs));
  Job here{job.options, job.environments, job.sweep, {}, job.sharing, {}, {}};  // a plan may be large
  here.sharing.slots = static_cast<std::size_t>(ranks);
  const Foretold foretold = foretell(here, job.plan, StartHistory(user_cache_folder()), open.finished);
  if (const std::string line = line_of(job.sweep.measure, foretold); !line.empty()) log::info(line);
  if (!foretold.in_vain.empty()) throw InputError(foretold.in_vain);
  for (const std::string& line : missing_lines(foretold)) log::warn("will be skipped: " + line);
  for (const std::string& line : absent_lines(foretold)) log::warn("will fail: " + line);
  for (const std::string& line : device_lines(job.plan)) log::warn(line);
  if (const auto warning = beyond_a_day(job.sweep.measure, foretold, measuring_seconds(job.sweep, job.plan), ranks))
    agree_to(*warning);
}

void announce(const Job& job, int ranks, const results::Scan& journal, const OpenBlocks& open) {
  const std::size_t fit = trials_that_fit(job);
  const std::string in_blocks =
      job.sweep.training ? "" : " in " + counted(job.plan.blocks.size() - sweep::clones_of(job.plan), "block");
  log::info(fmt::format("{}: {}{} on {}, {} skipped", job.sweep.name, counted(fit, "trial"), in_blocks,
                        counted(static_cast<std::size_t>(ranks), "rank"), job.plan.trials.size() - fit));
  for (const std::string& line : left_out_lines(job)) log::info(line);
  for (const std::string& line : measured_last_lines(job)) log::info(line);
  for (const auto& [reason, count] : skips_by_reason({}, job.unfit))
    log::warn(fmt::format("will be skipped: {} x {}", count, reason));
  for (const std::string& line : unread_axes_lines(job.sweep, job.plan)) log::warn(line);
  for (const std::string& remark : job.data_remarks) log::warn(remark);
  announce_time(job, fit, ranks, journal, open);
  log::info(fmt::format("results go to {}", job.folder().string()));
  if (const std::size_t others = other_blocks(job, journal); others > 0) {
    log::info(
        fmt::format("{} block{} there {} of other points (another --set, --only or text of the sweep). They are kept, "
                    "but in no table of this run. The command that measured them shows them again",
                    others, others == 1 ? "" : "s", others == 1 ? "is" : "are"));
  }
}

int launch(RunArguments arguments) {
  hold_drain_signal();  // one that comes while files are written asks for nothing more
  if (!arguments.progress.events.empty()) {
    const std::string named = std::exchange(arguments.progress.events, place_for_others(arguments.progress.events));
    if (named != "-" && named == arguments.progress.events)  // else a descriptor
      expect_place_of_file("--json-events-to", named, {arguments.job.sweep_file, arguments.job.environments_file});
    const EventStream can_be_opened(arguments.progress.events);  // else say so before anything starts
  }
  Ran ran{false, wall_seconds()};
  JobToGoOn read = read_to_go_on(arguments.job);
  Job job = read.job.get();
  job.origins = origins_now(job);
  DataChecks checks = check_data(job.sweep, job.plan);
  job.unfit = std::move(checks.unfit);
  job.data_remarks = std::move(checks.remarks);
  need_a_training(job);
  keep_data(job);
  const Begins begins = [&](int ranks, const results::Scan& journal, const OpenBlocks& open) {
    if (!arguments.progress.is_quiet) announce(job, ranks, journal, open);
  };
  const MeasureEnd end = measure_job(arguments, job, begins, std::move(read.records));
  if (end.exit_code != 0) return end.exit_code;
  ran.interrupted = end.interrupted;
  if (end.lock) LeaseFence(job.folder(), end.lock->epoch()).expect_own();  // another owner writes the results
  return report_outcome(arguments, job, ran);
}

int be_a_child(const RunArguments& arguments) {
  try {
    run_rank(arguments.job, arguments.progress, arguments.rank_timeout_seconds, arguments.epoch);
    return exit_code::done;
  } catch (const InputError& error) {
    log::error(error.what());
    return refused_by_rank;
  }
}

int be_a_rank(const RunArguments& arguments) {
  const double started_wall_seconds = wall_seconds();
  if (run_rank(arguments.job, arguments.progress, arguments.rank_timeout_seconds) != 0) return exit_code::done;
  Job job = read_job(arguments.job);
  job.origins = origins_now(job);
  return report_outcome(arguments, job, {drain_requested(), started_wall_seconds});
}

/// Ranks wake up once a second, and a busy machine may let them wait.
double rank_timeout_of(const std::string& text) {
  constexpr double least_seconds = 2;
  const auto seconds = parse_duration(text);
  if (seconds && *seconds >= least_seconds) return *seconds;
  throw InputError(fmt::format(
      "--rank-timeout: found '{}', expected {} s or more with one unit (a rank that does nothing at all for so long is "
      "ended), such as 60s or 5m",
      text, least_seconds));
}

int run(const RunArguments& arguments) {
  if (arguments.ranks && *arguments.ranks < 1) {
    throw InputError(
        fmt::format("--ranks: found {}, expected at least 1 (each rank owns a slot); give a number above zero, or "
                    "leave the option out",
                    *arguments.ranks));
  }
  if (arguments.child) return be_a_child(arguments);
  if (is_first_process()) tell_begun(arguments.exit_code_to);
  try {
    refuse_lone_tasks();
    return started_as_rank() ? be_a_rank(arguments) : launch(arguments);
  } catch (const InputError&) {  // srun ends the other tasks then, and says 143 in place of 2
    tell_exit_code(arguments.exit_code_to, exit_code::bad_input);
    throw;
  } catch (const StorageError&) {
    tell_exit_code(arguments.exit_code_to, exit_code::storage);
    throw;
  }
}

/// Returns the command that a person types to go on with a run, without the file that a batch script reads.
std::string to_go_on(std::vector<std::string> argv) {
  for (const char* const of_script : {"--exit-code-to", "--life"}) {
    const auto option = std::ranges::find(argv, of_script);
    if (argv.end() - option >= 2) argv.erase(option, option + 2);
  }
  return joined(argv);
}

}  // namespace

void add_run(CommandLine& line) {
  auto arguments = std::make_shared<RunArguments>();
  arguments->job.command_line = to_go_on(line.argv);
  arguments->progress.bar_columns = bar_columns();
  auto events = std::make_shared<bool>(false);
  auto rerun = std::make_shared<std::string>();
  CLI::App* command = add_command(line, "run", "Run a sweep, or go on with it; then report", " sweeps/quickstart.json");
  command->add_option("SWEEP", arguments->job.sweep_file, "Sweep file (docs/reference/sweep-file.md)")
      ->required()
      ->option_text("FILE");
  command->add_option("--ranks", arguments->ranks, "MPI ranks (default: one for each memory domain)")->type_name("N");
  add_sweep_options(*command, arguments->job);
  command->add_option("--out", arguments->job.out, "Folder for results (default: results)")->type_name("FOLDER");
  command->add_option("--rerun", *rerun, "Repeat what failed, measure on, or the best again")
      ->check(CLI::IsMember({"failed", "undecided", "early", "cut-short", "fastest"}))
      ->option_text("failed|undecided|early|fastest");
  command->add_flag("--keep-changed", arguments->job.keep_changed,
                    "Keep rows though what decides them changed, marked");
  command
      ->add_option("--for", arguments->job.time,
                   "Wall time at most, in place of the sweep's `total`; comparisons are measured once in any case")
      ->type_name("TIME");
  auto rank_timeout = std::make_shared<std::string>();
  command->add_option("--rank-timeout", *rank_timeout, "End the job if a rank hangs for so long (default: 60s)")
      ->type_name("TIME");
  command->add_flag("--smoke", arguments->job.smoke, "One step of each trial, into FOLDER/smoke: do they run?");
  auto dry = std::make_shared<bool>(false);
  command->add_flag("--dry-run", *dry, "What `regatta plan` says; starts nothing");
  command->add_flag("-q,--quiet", arguments->progress.is_quiet, "Warnings and errors alone: no progress, no report");
  command->add_flag("--one-by-one", arguments->job.one_by_one, "A worker gets no lots of quick trials");
  command->add_flag("--child", arguments->child)->group("");
  command->add_option("--epoch", arguments->epoch)->group("");
  command->add_option("--life", arguments->job.life)->group("");
  command->add_option("--read-as", arguments->job.read_as)->group("");
  auto* on_stderr = command->add_flag("--json-events", *events, "Progress as one JSON object a line on stderr")
                        ->option_text(" ");  // else CLI11 prints what it excludes there
  command
      ->add_option("--json-events-to", arguments->progress.events, "The same to a file, a FIFO or an open descriptor")
      ->excludes(on_stderr)
      ->option_text("FILE|N");
  command->add_option("--exit-code-to", arguments->exit_code_to, "Also write the exit code there, for batch scripts")
      ->type_name("FILE");
  command->add_option("--bar", arguments->progress.bar_columns)->group("");
  command->add_option("--command-line", arguments->job.command_line)->group("");
  command->footer(
      "Examples\n  regatta run sweep.json --smoke           does each trial run at all? seconds\n  regatta run "
      "sweep.json                   all of it; again: it goes on\n  regatta run sweep.json --for 10m --set batch=1,32 "
      "--only engine=native\n  regatta run sweep.json --rerun undecided --for 5m\nA changed script, program or version "
      "is measured again by itself.\nExit codes: 0 done, 1 some trials failed, 2 bad input, 5 the rest needs more "
      "ranks or devices, 74 storage, 75 work left.");
  command->callback([&line, arguments, rerun, events, dry, rank_timeout] {
    if (*events) arguments->progress.events = "-";
    arguments->job.rerun = parse_rerun(*rerun);
    line.chosen = [arguments, dry, rank_timeout] {
      if (!rank_timeout->empty()) arguments->rank_timeout_seconds = rank_timeout_of(*rank_timeout);
      return *dry ? plan(arguments->job, false) : run(*arguments);
    };
  });
}

}  // namespace regatta::launcher
