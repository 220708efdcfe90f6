// The job of a run, as rank 0 reads it from the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/dispatch/coordinator.hpp"
#include "regatta/results/changed.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/open_work.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/schedule/events.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/origins.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

class EnvironmentResolver;

/// `cut_short`: undecided comparisons that `measure.total` gave less than `measure.per_contrast`.
/// `early`: comparisons whose verdict rests on few pairs. `fastest`: the best of many cells, by figures that were not
/// what chose them.
enum class Rerun { nothing, failed, undecided, cut_short, early, fastest, clones };

/// "failed", "undecided", "cut-short", "fastest", "" for the others, and back; anything else is nothing.
std::string to_string(Rerun rerun);
Rerun parse_rerun(const std::string& text);

struct JobOptions {
  std::filesystem::path sweep_file;
  std::filesystem::path read_as;  ///< base of the sweep's relative paths, if not its own file
  std::vector<std::string> set;   ///< "axis=v,v"
  std::vector<std::string> only;  ///< "axis=v,v"
  std::filesystem::path out = "results";
  std::filesystem::path environments_file;  ///< empty: none
  Rerun rerun = Rerun::nothing;
  std::string time;  ///< "30m" in place of the sweep's `measure.total`; empty: as the sweep says
  std::string command_line;
  bool keep_changed = false;  ///< rows of what has changed since stay as they are
  bool one_by_one = false;    ///< no lots: a worker has one trial at a time
  std::int64_t life = 0;      ///< how often its batch job was continued before
  bool smoke = false;         ///< one step of each trial, to see whether it runs at all
};

/// The options of a command line that change the sweep of the file: --set, --only, --environments.
std::vector<std::string> sweep_changes(const JobOptions& options);

/// A valid sweep, expanded, and the places its results go to.
struct Job {
  JobOptions options;
  std::map<std::string, sweep::Environment> environments;  ///< the file of --environments
  sweep::Sweep sweep;
  sweep::Plan plan;
  sweep::Sharing sharing;  ///< the time of `measure.total`, and how long processes take to start, where that is known
  sweep::Origins origins;  ///< origins of its results, as they were where the run began
  std::map<TrialIndex, std::string> unfit;  ///< why trials of a training cannot be trained on their data
  std::set<std::string> data_remarks = {};  ///< sentences about data that are trained on all the same
  stats::SpreadPool spreads = {};           ///< how pairs of processes scattered in earlier runs (R5)
  /// --rerun failed: what failed after this, by the wall clock, has been tried again, perhaps in an earlier life of the
  /// batch job. Nothing: the journal tells.
  std::optional<double> tried_since = {};

  [[nodiscard]] std::filesystem::path folder() const { return options.out / (sweep.name + ".regatta"); }
  [[nodiscard]] std::filesystem::path page() const { return options.out / (sweep.name + ".html"); }
};

/// Reads, validates and expands. Throws InputError.
Job read_job(const JobOptions& options);

/// The same without the plan, which may be too large to hold.
Job read_unplanned(const JobOptions& options);

/// Makes the plan of what was read without.
Job expanded(Job job);

/// Where its engines are installed.
EnvironmentResolver environments_of(const Job& job);

/// The origins of the job's results now: reads the files.
sweep::Origins origins_now(const Job& job);

/// The optional engines that the sweep leaves out here, and why. One line each.
std::vector<std::string> left_out_lines(const Job& job);

/// The optional engines that were found, and are measured after all others. One line each.
std::vector<std::string> measured_last_lines(const Job& job);

// block_estimates.cpp: The times that the scheduler gets: of blocks, and the time that there is.

/// How long blocks of the job's plan will take; the job outlives it. Blocks that measure the same models in the same
/// engines, or the same commands, are alike.
std::function<schedule::Estimate(const sweep::Block&)> block_estimates(const Job& job);

/// When the allocation ends in which this process runs, by the wall clock, less what a drain may take; infinity where
/// nobody says.
double end_of_allocation_seconds();

/// When no program is begun any more that would most likely end later: `measure.total` or --for after `begin_seconds`,
/// by the wall clock. Infinity where there is no such time, or where something is compared: a comparison shares the
/// time, and each of its blocks is measured at least once.
double end_of_total_seconds(const Job& job, double begin_seconds);

// cache_file.cpp: Files in the user's cache folder that hold what earlier runs have shown. None of them is needed:
// one that cannot be read is learnt anew.

/// Hands the file's JSON to `read`. Returns false where there is no file, and, after a warning that ends with
/// `consequence`, where it is damaged or `read` refuses it.
bool read_cache_file(const std::filesystem::path& file, std::string_view consequence,
                     const std::function<void(const nlohmann::json&)>& read);

/// Replaces the file as a whole, and makes its folder. Throws as the file system does.
void write_cache_file(const std::filesystem::path& file, const nlohmann::json& document);

// changes.cpp: The changes since rows were recorded, told to people before anything starts.

/// The changes, the rows that they touch, and their treatment. One line each; none if nothing is recorded, or nothing
/// has changed.
std::vector<std::string> change_lines(const Job& job, const results::Scan& journal);

/// The changes since the job found its origins, in words.
std::vector<std::string> changed_meanwhile(const Job& job);

/// Recorded blocks that this job measures again because of what has changed.
results::ChangedBlocks reopened_by_change(const Job& job, const results::Scan& journal);

/// Whether a session must record what has changed, or that nothing has, before results are shown.
bool tells_changes_anew(const Job& job, const results::Scan& journal);

// legs_due.cpp: Decides what a sweep that trains asks for next, by what its journal holds.

/// Blocks of the plan that are to be trained now; the others wait for what these give, or are never asked for. Empty:
/// the training is over. `tried_since` takes the place of the job's.
std::vector<sweep::Block> legs_due(const Job& job, const results::Scan& journal,
                                   std::optional<double> tried_since = {});

/// "rung 2 of 4 of the search", "8 finalists under fresh seeds": what these legs are for.
std::string purpose_of(const Job& job, const std::vector<sweep::Block>& due);

/// Trials that train on are open: what is recorded of them is not all.
void reopen_due(const sweep::Sweep& sweep, results::Results& results);

/// The same, and of all stretches without a record those stay that the search asks for now.
void keep_due(results::OpenWork& work);

// provenance.cpp: Where results come from: versions, command line, the state of the user's repository.

/// Now, ISO 8601, UTC, to the second.
std::string utc_now();

/// The provenance of a session whose command was given at `created`, in the words of utc_now().
results::Provenance make_provenance(const Job& job, const std::string& created, const std::string& mpi_version);

// ranks_lines.cpp: The needs of trials with several ranks, and their effect on the other trials.

/// How many agents they want, and what fewer leave out; empty where no trial has several ranks.
std::string ranks_line(const sweep::Sweep& sweep, const sweep::Plan& plan);

/// Why trials of one rank have more shards than usual, where the sweep's `ranks` go higher and it names no shards;
/// empty elsewhere.
std::string shards_line(const sweep::Sweep& sweep, const sweep::Plan& plan);

/// The rows over which batch normalization takes its moments, where shards or ranks share a batch; empty where none
/// does.
std::string moments_line(const sweep::Plan& plan);

/// The cores of a program where the sweep names no threads and a slot has more; empty elsewhere. One core surprises
/// programs that start threads.
std::string program_cores_line(const sweep::Sweep& sweep, const sweep::Plan& plan);

// unread_axes.cpp: Axes that make no difference.

/// A line for each axis of several levels that no trial reads. Points that differ by it alone are one trial.
std::vector<std::string> unread_axes_lines(const sweep::Sweep& sweep, const sweep::Plan& plan);

// resume.cpp: The journal of a run that goes on.

/// A job that goes on, while it is made: plan and records of a million trials take seconds.
struct JobToGoOn {
  std::future<Job> job;                ///< with its plan; throws InputError
  std::future<results::Scan> records;  ///< its journal as it is before the folder is ours
};

/// Reads and validates; neither thread that goes on asks for the environment. Throws InputError.
JobToGoOn read_to_go_on(const JobOptions& options);

/// The records of earlier sessions in the job's folder. They are made whole first where damage cost no result
/// (results::resume_store). `before`: the records that read_to_go_on() began to read. Where damage may have cost a
/// result, throws InputError with the commands that go on. Also where the last lives of its batch job recorded nothing.
results::Scan resume(const Job& job, double lock_seconds, results::Scan before = {});

}  // namespace regatta::launcher
