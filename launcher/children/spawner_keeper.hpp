// The parent of an agent's spawner. A worker may kill or stop its own parent; the keeper starts another one, which the
// agent could not do: an address space with MPI inside is never copied.
#pragma once

#include <sys/types.h>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// The agent's end of the link over which it is handed spawners, and the process behind it.
struct SpawnerKeeper {
  UniqueFd link;
  pid_t pid = -1;
};

/// Forks the keeper, which has one spawner at a time and ends with its agent. Call before any thread and before
/// MPI_Init.
SpawnerKeeper start_spawner_keeper();

}  // namespace regatta::launcher
