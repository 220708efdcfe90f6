// What `regatta COMMAND` does. Each returns the exit code of the process: 0 all done, 1 some trials
// failed, 2 bad input (thrown as InputError), 74 journal I/O (StorageError), 75 work left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "job.hpp"
#include "progress.hpp"

namespace regatta::launcher {

struct RunArguments {
  JobOptions job;
  std::optional<int> ranks;  ///< default: one for each memory domain of this host
  bool child = false;        ///< started by our own mpirun: leave reporting to the parent
  ProgressOptions progress;  ///< a child shows it where its parent would
};

int run(const RunArguments& arguments);

struct MeasureEnd {
  int exit_code = 0;         ///< of a refusal
  bool interrupted = false;  ///< we were asked to stop
};

/// Measures what the job still has open, in a job of `mpirun`'s; nothing is reported.
MeasureEnd measure_job(const RunArguments& arguments, const Job& job);

struct DuelArguments {
  std::string a, b;    ///< command lines: words and quotes, no shell
  std::string metric;  ///< "json:KEY", or empty for the time of the whole process
  std::string time;    ///< active measuring time: "30s"
  std::string margin;  ///< "1%"
  bool json = false;
  std::string command_line;
};

/// Two programs as interleaved processes: the same rules and the same sentence as a sweep.
int duel(const DuelArguments& arguments);

/// "slower:3%": exit code 3 if a contrast is slower than its baseline by more than that, and not doubted.
struct FailOn {
  double slower = 0;  ///< as a fraction
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

}  // namespace regatta::launcher
