// The process that is the parent of all workers of one agent. It is started before MPI_Init, so that no
// address space with MPI inside is ever copied, and outlives its agent by the moment it takes to kill them.
#pragma once

#include <sys/types.h>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// The agent's end of the link, and the process behind it.
struct SpawnerHandle {
  UniqueFd link;
  pid_t pid = -1;
};

/// Forks the spawner: own session, sub-reaper, no death signal. Call before any thread and before MPI_Init.
SpawnerHandle start_spawner();

}  // namespace regatta::launcher
