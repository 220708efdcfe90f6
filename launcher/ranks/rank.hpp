// One MPI rank: an agent, and on rank 0 the coordinator beside it.
#pragma once

#include "job/job.hpp"
#include "ranks/progress.hpp"

namespace regatta::launcher {

/// True if this process was started by mpirun or srun as one rank of a job.
bool started_as_rank();

/// Throws InputError in a Slurm step of several tasks whose tasks are told of no others: each would run the whole
/// sweep.
void refuse_lone_tasks();

/// What a job's ranks report back to whoever writes the result file.
struct RankEnd {
  int rank = 0;
  int exit_code = 0;  ///< 0, 2 (bad input), 74 (journal I/O)
};

/// Runs this rank to the end of the job. Rank 0 alone reads `options` and holds the plan; the others are told what an
/// agent must know, and receive blocks.
RankEnd run_rank(const JobOptions& options, const ProgressOptions& progress);

}  // namespace regatta::launcher
