// Moving a process that runs to other cores.
#pragma once

#include <sys/types.h>

#include <vector>

namespace regatta::launcher {

/// Binds all threads of a process to these cores; threads that they start later follow. Whether they may be; a
/// process that has ended has none.
bool bind_process(pid_t pid, const std::vector<int>& cpus);

}  // namespace regatta::launcher
