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

/// True as soon as one of `fds` is readable (or closed), false once the deadline passed. Negative
/// descriptors are left out.
bool wait_readable(const std::vector<int>& fds, Deadline deadline, const Chores& chores);

/// Whether something can be read, or the other end is closed. Does not wait.
bool is_readable(int fd);

}  // namespace regatta::launcher
