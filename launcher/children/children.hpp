// The spawner and its keeper, warm workers, installations of engines, inputs, what trials depend on (origins).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "children/installations.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/sweep/origins.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

// argv_files.cpp: The words of a program's command line that name files.

/// The same words, with whole paths where they name files that are here and are read: for a program that starts in
/// another folder.
std::vector<std::string> with_whole_paths(std::vector<std::string> argv);

// origins.cpp: The origins of a plan's trials beside their parameters, as they are on this host now: the contents of
// programs, scripts and inputs, variables, versions (regatta/sweep/origins.hpp).

/// Reads files piece by piece and asks interpreters for the versions of their libraries.
sweep::Origins origins_of(const sweep::Sweep& sweep, const sweep::Plan& plan, EnvironmentResolver& environments);

/// The state that tells the contents of a file apart: length and checksum. Beyond 1 GiB it is the length and the time
/// of the last change. Throws InputError.
std::string file_state(const std::filesystem::path& file);

/// The same of data (regatta/base/data_path.hpp); of a folder and its subfolders how many files there are, and what
/// tells their names, lengths and times of the last change apart.
std::string data_state(const std::string& data);

/// All files that a dataset is read from: what the sweep calls them, or else their paths, and where they are. They are
/// those that the sweep names, and a test part that lies beside them.
std::map<std::string, std::string> files_of(const sweep::Dataset& dataset);

// spawner.cpp: The process that is the parent of all workers of one agent. It outlives its agent by the moment it
// takes to kill them.

/// Own session, sub-reaper, deaf to signals that end a step: what looks after other processes ends them first.
void stand_apart(const char* name);

/// The main function of the process that is forked as a spawner; it runs until the other end of the link is closed.
[[noreturn]] void run_spawner(UniqueFd link);

// spawner_keeper.cpp: The parent of an agent's spawner. A worker may kill or stop its own parent; the keeper starts
// another one, which the agent could not do: an address space with MPI inside is never copied.

/// The agent's end of the link over which it is handed spawners, and the process behind it.
struct SpawnerKeeper {
  UniqueFd link;
  pid_t pid = -1;
};

/// How a keeper watches its agent.
struct AgentWatch {
  std::string name;         ///< "rank 3"
  double patience_seconds;  ///< an agent that does nothing at all for so long is ended
};

/// Forks the keeper, which has one spawner at a time and ends with its agent. Call before any thread and before
/// MPI_Init.
SpawnerKeeper start_spawner_keeper(const std::optional<AgentWatch>& watch = std::nullopt);

}  // namespace regatta::launcher
