// What the scheduler is told of the time that blocks take, and of the time that there is.
#pragma once

#include <functional>

#include "job/job.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/schedule/events.hpp"

namespace regatta::launcher {

/// How long blocks of the job's plan will take; the job outlives it. Blocks that measure the same models in the same
/// engines, or the same commands, are alike.
std::function<schedule::Estimate(const sweep::Block&)> block_estimates(const Job& job);

/// When the allocation ends in which this process runs, by the wall clock, less what a drain may take; infinity where
/// nobody says.
double end_of_allocation_seconds();

}  // namespace regatta::launcher
