// What a run is about, as rank 0 reads it from the command line.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

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
  std::filesystem::path read_as;  ///< what the sweep's relative paths start from, if not from its own file
  std::vector<std::string> set;   ///< "axis=v,v"
  std::vector<std::string> only;  ///< "axis=v,v"
  std::filesystem::path out = "results";
  std::filesystem::path environments_file;  ///< empty: none
  Rerun rerun = Rerun::nothing;
  std::string time;  ///< "30m" in place of the sweep's `measure.total`; empty: as the sweep says
  std::string command_line;
  bool keep_changed = false;  ///< rows of what has changed since stay as they are
  bool one_by_one = false;    ///< no lots: a worker has one trial at a time
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
  sweep::Origins origins;  ///< what its results depend on, as it was where the run began
  std::map<TrialIndex, std::string> unfit;  ///< why trials of a training cannot be trained on their data
  stats::SpreadPool spreads = {};           ///< how pairs of processes scattered in earlier runs (R5)

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

/// What the job's results depend on now: reads the files.
sweep::Origins origins_now(const Job& job);

/// What the sweep leaves out here: an optional engine, and why. One line each.
std::vector<std::string> left_out_lines(const Job& job);

/// What is measured after all else because it is optional, and was found. One line each.
std::vector<std::string> measured_last_lines(const Job& job);

}  // namespace regatta::launcher
