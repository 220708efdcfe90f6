// Measures the open work of a job by ranks under an `mpirun` of ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>

#include "job/job.hpp"
#include "job/open_blocks.hpp"
#include "os/folder_lock.hpp"
#include "ranks/progress.hpp"
#include "ranks/rank.hpp"
#include "regatta/results/journal.hpp"

namespace regatta::launcher {

struct RunArguments {
  JobOptions job;
  std::optional<int> ranks;  ///< default: one for each memory domain of this host
  double rank_timeout_seconds = usual_rank_timeout_seconds;
  bool child = false;                  ///< started by our own mpirun: leave reporting to the parent
  std::uint64_t epoch = 0;             ///< in a child: that of its parent, the owner of the folder
  ProgressOptions progress;            ///< a child shows it where its parent would
  std::filesystem::path exit_code_to;  ///< the process that reports also writes the exit code there; empty: nowhere
};

struct MeasureEnd {
  int exit_code = 0;                 ///< the exit code of a refusal; 0 without one
  bool interrupted = false;          ///< we were asked to stop
  std::optional<FolderLock> lock{};  ///< nobody else works on the folder while this lives
};

/// Called once the folder is ours, with the number of ranks, what earlier sessions recorded and what they left open.
using Begins = std::function<void(int ranks, const results::Scan& journal, const OpenBlocks& open)>;

/// Measures what the job still has open, further passes included, in a job of `mpirun`'s; nothing is reported.
/// `records`: the ones that read_to_go_on() read, where the folder may hold some.
MeasureEnd measure_job(
    const RunArguments& arguments, const Job& job,
    const Begins& begins = [](int, const results::Scan&, const OpenBlocks&) {},
    std::future<results::Scan> records = {});

}  // namespace regatta::launcher
