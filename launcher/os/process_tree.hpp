// Killing everything that a worker started.
#pragma once

#include <sys/types.h>

#include <vector>

namespace regatta::launcher {

/// Direct children of this process, those adopted as sub-reaper and those not reaped yet included.
std::vector<pid_t> own_children();

/// All living descendants of `root`, itself left out.
std::vector<pid_t> descendants(pid_t root);

/// SIGKILLs the process group `leader`, the leader and all its descendants.
void kill_tree(pid_t leader);

/// Whether a process of the group still lives.
bool group_lives(pid_t leader);

}  // namespace regatta::launcher
