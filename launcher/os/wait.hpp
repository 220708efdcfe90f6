// Waiting for descriptors without forgetting everything else: each wait has a deadline, and serves the
// rest of the process (rank 0: the coordinator) while it lasts.
#pragma once

#include <functional>
#include <vector>

#include "regatta/base/clock.hpp"

namespace regatta::launcher {

/// Does what is due now; returns how long the caller may sleep at most, in seconds.
using Chores = std::function<double()>;

/// Whether what is waited for is wanted no more. Asked once a second.
using GaveUp = std::function<bool()>;

/// True as soon as one of `fds` is readable (or closed), false once the deadline passed. Negative descriptors are left
/// out. Time in which this process was stopped (by a batch system that suspends the job, a laptop that sleeps) does not
/// count, since what it waits for was stopped, too: the deadline moves.
bool wait_readable(const std::vector<int>& fds, Deadline& deadline, const Chores& chores);
inline bool wait_readable(const std::vector<int>& fds, Deadline&& deadline, const Chores& chores) {
  return wait_readable(fds, deadline, chores);
}

/// Whether something can be read, or the other end is closed. Does not wait.
bool is_readable(int fd);

}  // namespace regatta::launcher
