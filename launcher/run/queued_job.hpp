// A batch job in Slurm's queue that will work on a run's folder: nothing in the folder tells of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::launcher {

/// A job, as squeue tells it.
struct QueuedJob {
  std::string id;
  std::string state;               ///< "PENDING", "RUNNING", ...
  std::string reason;              ///< why it waits: "Priority", "Resources", ...
  std::filesystem::path folder;    ///< where it was submitted
  std::vector<std::string> words;  ///< its batch script and what that was given
  bool operator==(const QueuedJob&) const = default;
};

/// The jobs in what `squeue` prints in the format that we ask for. A line of another form is left out.
std::vector<QueuedJob> parse_queue(std::string_view text);

/// The folder of the run that a job makes whose script is given a sweep and options of `regatta run`, as that of
/// slurm/sweep.sbatch is. Nothing for any other job.
std::optional<std::filesystem::path> run_folder_of(const QueuedJob& job);

/// The user's first job in the queue that works or will work on this folder. Nothing where there is none, or where
/// Slurm does not answer.
std::optional<QueuedJob> queued_job(const std::filesystem::path& run_folder);

/// "job 4711 waits in the queue (Priority)".
std::string to_text(const QueuedJob& job);

}  // namespace regatta::launcher
