// What `regatta COMMAND` does. Each returns the exit code of the process: 0 all done, 1 some trials
// failed, 2 bad input (thrown as InputError) or nothing to train, 74 journal I/O (StorageError), 75 work left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "job/job.hpp"
#include "run/measure_job.hpp"

namespace regatta::launcher {

int run(const RunArguments& arguments);

struct DuelArguments {
  std::string a, b;               ///< command lines: words and quotes, no shell; b may be empty beside `scan`
  std::vector<std::string> scan;  ///< "n=1,2,4": {n} in them takes these values
  std::string metric;             ///< "json:KEY", or empty for the time of the whole process
  std::string time;               ///< active measuring time: "30s"
  std::string margin;             ///< "1%"
  bool json = false;
  std::string command_line;
};

/// Two programs as interleaved processes: the same rules and the same sentence as a sweep.
int duel(const DuelArguments& arguments);

/// "slower:3%": exit code 3 if a contrast is slower than its baseline by more than that, by a confirmed verdict that no
/// check contradicts; "slower:3%,early": by an early one, too; "slower:3%,undecided": also if one is not known to be
/// below it.
struct FailOn {
  double slower = 0;  ///< as a fraction
  bool undecided = false;
  bool early = false;
};
FailOn parse_fail_on(const std::string& text);

int plan(const JobOptions& options, bool json);

int status(const std::filesystem::path& folder, bool json, bool follow);

int report(const std::filesystem::path& file, const std::optional<std::filesystem::path>& html, bool json,
           const std::optional<FailOn>& fail_on);

struct CompareArguments {
  std::filesystem::path old_file, new_file;
  std::string threshold;  ///< "3%"; empty: the margin of the sweeps
  bool across = false;    ///< other hosts or devices are wanted
  bool json = false;
};

/// Two sessions of the same trials. 3 if any has become slower; what identical code shows is remembered.
int compare(const CompareArguments& arguments);

/// Rebuilds NAME.h5 and NAME.html from NAME.regatta.
int collect(const std::filesystem::path& folder);

int doctor(bool json);

struct ExportArguments {
  std::filesystem::path file;
  std::string format;                   ///< "csv", "jsonl", "trace"
  std::string table = "trials";         ///< "trials", "contrasts", "samples"
  std::vector<std::string> conditions;  ///< results::Query
  std::vector<std::string> columns;
  std::filesystem::path out;  ///< empty: standard output
};

/// Results for other programs.
int export_results(const ExportArguments& arguments);

struct QueryArguments {
  std::filesystem::path file;
  std::vector<std::string> conditions;  ///< results::Query
  std::vector<std::string> columns;     ///< empty: id, what varies, and the numbers
  std::string sort;
  bool contrasts = false;  ///< comparisons in place of trials
  bool json = false;
};

/// Chosen rows of a result file.
int query(const QueryArguments& arguments);

struct MergeArguments {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;
};

/// Several result files as one.
int merge(const MergeArguments& arguments);

struct ReproArguments {
  std::filesystem::path file;
  std::string id;  ///< the first digits of a trial's
  std::string time;
  std::filesystem::path environments_file;
  bool json = false;
  std::string command_line;
  std::string profiler;           ///< runs the same under it; empty: without
  std::vector<std::string> argv;  ///< this command's, the program first
};

/// One row of a result file again, alone: old and new value, and what differs. 1 if it does not finish. With a profiler
/// it does not return where that can be started.
int repro(const ReproArguments& arguments);

struct ExplainArguments {
  std::filesystem::path folder;
  std::string id;  ///< only this trial; empty: all that wait
  bool json = false;
};

/// Why trials of a run have no result yet.
int explain(const ExplainArguments& arguments);

struct SalvageArguments {
  std::filesystem::path folder;  ///< NAME.regatta
  std::filesystem::path out;
  JobOptions sweep;  ///< that was run, where the journal may have lost it; no file: not given
};

/// Saves what is whole of a damaged folder into one of the same name in the folder `out`.
int salvage(const SalvageArguments& arguments);

}  // namespace regatta::launcher
