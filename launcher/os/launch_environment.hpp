// Variables that an MPI or Slurm launch gave this process, and those that the user had before it.
//
// A program that inherits the variables of a rank fails in its own MPI_Init, or talks to the step of that rank. What
// the user or the batch job had set before the launch is kept: mpirun and srun inside a trial need it.
#pragma once

#include <string>
#include <vector>

namespace regatta::launcher {

/// Its value holds the variables before the launch, as outer_environment() makes it. Who launches ranks sets it:
/// `regatta run` for its own mpirun, slurm/sweep.sbatch for srun.
inline constexpr const char* outer_variable = "REGATTA_OUTER_ENVIRONMENT";

/// The variables of this process that a launch of ranks may change: NAME=VALUE, with U+001F between them. Where this
/// process has been launched with `outer_variable`, that one's value.
std::string outer_environment(const char* const* environment);

/// The environment of a child that is no rank.
struct KeptEnvironment {
  std::vector<const char*> entries;  ///< variables that no launch can have set; they point into the environment
  /// Variables that a launch may have changed, as they were before it. Inside a step also SLURM_OVERLAP: without it a
  /// step that the child begins would wait for the cores of its own.
  std::vector<std::string> before_launch;
};

/// Without `outer_variable` the variables that belong to a rank or step itself are left out, and no others.
KeptEnvironment without_launch(const char* const* environment);

}  // namespace regatta::launcher
