// The process that is the parent of all workers of one agent. It outlives its agent by the moment it takes to kill
// them.
#pragma once

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// Own session, sub-reaper, deaf to signals that end a step: what looks after other processes ends them first.
void stand_apart(const char* name);

/// What a process that was forked for it does until the other end of the link is closed.
[[noreturn]] void run_spawner(UniqueFd link);

}  // namespace regatta::launcher
