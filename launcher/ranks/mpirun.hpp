// mpirun as a child: started, signalled, waited for, cleaned up after.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ranks/mpirun_scratch.hpp"

namespace regatta::launcher {

struct MpirunSpec {
  int ranks = 1;
  std::vector<std::string> command;     ///< command that each rank runs
  std::filesystem::path scratch_owner;  ///< names the scratch folders, so that the next run finds and sweeps them
  double patience_seconds = 60;         ///< with an mpirun that somebody has stopped
};

struct MpirunEnd {
  int exit_code = 0;         ///< mpirun's exit code; 128 + n if it was killed by signal n
  bool interrupted = false;  ///< we were asked to stop
};

/// The program first.
std::vector<std::string> mpirun_arguments(const MpirunSpec& spec);

/// Environment variables for mpirun, as far as the user has not set them; it hands them to its ranks on all hosts.
std::map<std::string, std::string> mpirun_variables(const ScratchFolders& scratch, int ranks);

/// In a rank, before MPI_Init: takes back the folders of mpirun_variables() that are mpirun's alone, or that this host
/// lacks, so that MPI chooses its own.
void forget_folders_of_another_host();

/// Runs to the end. SIGINT and SIGUSR1 drain the job (SIGINT twice, or SIGTERM and SIGHUP, stop it now).
/// Nothing of the job lives when this returns. Throws InputError if mpirun is missing.
MpirunEnd run_mpirun(const MpirunSpec& spec);

}  // namespace regatta::launcher
