// What a job still has open, measured by ranks under an `mpirun` of ours.
#pragma once

#include <functional>
#include <optional>

#include "job/job.hpp"
#include "ranks/progress.hpp"

namespace regatta::launcher {

struct RunArguments {
  JobOptions job;
  std::optional<int> ranks;  ///< default: one for each memory domain of this host
  bool child = false;        ///< started by our own mpirun: leave reporting to the parent
  ProgressOptions progress;  ///< a child shows it where its parent would
};

struct MeasureEnd {
  int exit_code = 0;         ///< of a refusal
  bool interrupted = false;  ///< we were asked to stop
};

/// Measures what the job still has open, further passes included, in a job of `mpirun`'s; nothing is reported. `begins`
/// is called with the number of ranks once the folder is ours.
MeasureEnd measure_job(
    const RunArguments& arguments, const Job& job, const std::function<void(int)>& begins = [](int) {});

}  // namespace regatta::launcher
