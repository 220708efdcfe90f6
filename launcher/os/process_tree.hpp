// Killing everything that a worker started.
#pragma once

#include <sys/types.h>

#include <vector>

#include "regatta/base/clock.hpp"

namespace regatta::launcher {

/// Direct children of a process, those adopted as sub-reaper and those not reaped yet included.
std::vector<pid_t> children_of(pid_t parent);
std::vector<pid_t> own_children();

/// Whether `parent` has a direct child, living or waiting to be reaped.
bool has_child(pid_t parent);

/// Whether a direct child of `parent` lives. One that has ended and waits to be reaped does not.
bool has_living_child(pid_t parent);

/// All living descendants of `root`, itself left out.
std::vector<pid_t> descendants(pid_t root);

/// Has those of a tree that can print their stacks do it: by SIGUSR2, or where they have a handler for SIGABRT alone,
/// by that, which also ends them. Others are left as they are. Of a process that is to be ended anyway.
void ask_for_stacks(pid_t leader);

/// SIGKILLs the process group `leader`, the leader and all its descendants.
void kill_tree(pid_t leader);

/// Kills and reaps all children of this process and what they started, until there are none or the deadline passed.
void end_own_children(Deadline deadline);

/// Whether a process of the group still lives.
bool group_lives(pid_t leader);

}  // namespace regatta::launcher
