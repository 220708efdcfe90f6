// One MPI rank: an agent, and on rank 0 the coordinator beside it.
#pragma once

#include <cstdint>

#include "job/job.hpp"
#include "ranks/progress.hpp"

namespace regatta::launcher {

/// Exit code of a rank for its launcher where its input is refused: MPI itself ends with 1 or 2, too.
inline constexpr int refused_by_rank = 65;

/// A rank that does nothing at all for so long is taken for one that hangs, unless the command says otherwise. Ranks
/// wake up every second, whatever their workers do.
inline constexpr double usual_rank_timeout_seconds = 60;

/// True if this process was started by mpirun or srun as one rank of a job.
bool started_as_rank();

/// True for rank 0 of such a job, and for a process that was started by hand.
bool is_first_process();

/// Throws InputError in a Slurm step of several tasks whose tasks are told of no others: each would run the whole
/// sweep.
void refuse_lone_tasks();

/// Runs this rank to the end of the job, and returns its number. Rank 0 alone reads `options` and holds the plan; the
/// others are told what an agent must know, and receive blocks. `epoch`: of the launcher that owns the folder of
/// results and started it; 0: rank 0 takes the folder itself.
int run_rank(const JobOptions& options, const ProgressOptions& progress, double rank_timeout_seconds,
             std::uint64_t epoch = 0);

}  // namespace regatta::launcher
