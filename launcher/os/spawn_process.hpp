// Starting one child: own process group, death signal, CPU mask, memory limit, scrubbed environment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace regatta::launcher {

struct ChildSpec {
  std::vector<std::string> argv;
  /// Added to this process's environment without what an MPI or Slurm launch put there: a child that inherits that
  /// fails in its own MPI_Init or talks to our step.
  std::map<std::string, std::string> variables;
  std::vector<int> cpus;           ///< empty: inherit
  std::uint64_t memory_bytes = 0;  ///< RLIMIT_DATA; 0: no limit
  int stdin_fd = -1;               ///< descriptors that become 0, 1, 2 and 3; -1: not passed on
  int stdout_fd = -1;
  int stderr_fd = -1;
  int link_fd = -1;
  std::string folder = {};  ///< the folder that it starts in; empty: this process's
};

struct ChildStart {
  pid_t pid = -1;        ///< also its process group; -1 if it could not be started
  int error_number = 0;  ///< errno of the step that failed
};

/// vfork and exec. The child dies with the calling thread (PR_SET_PDEATHSIG) and ignores SIGUSR1, until it sets a
/// handler of its own; its other signals do what they do by default.
ChildStart spawn_process(const ChildSpec& spec);

}  // namespace regatta::launcher
