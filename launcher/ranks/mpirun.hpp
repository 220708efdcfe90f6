// mpirun as a child: started, signalled, waited for, cleaned up after.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace regatta::launcher {

struct MpirunSpec {
  int ranks = 1;
  std::vector<std::string> command;     ///< what each rank runs
  std::filesystem::path scratch_owner;  ///< names the scratch folders, so that the next run finds and sweeps them
};

struct MpirunEnd {
  int exit_code = 0;         ///< of mpirun; 128 + n if it was killed by signal n
  bool interrupted = false;  ///< we were asked to stop
};

/// Runs to the end. SIGINT and SIGUSR1 drain the job (SIGINT twice, or SIGTERM and SIGHUP, stop it now).
/// Nothing of the job lives when this returns. Throws InputError if mpirun is missing.
MpirunEnd run_mpirun(const MpirunSpec& spec);

/// Removes the scratch folders that a killed run of this owner left behind. Only for who holds its lock.
void sweep_scratch(const std::filesystem::path& owner);

}  // namespace regatta::launcher
