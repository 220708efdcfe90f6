// How a verb of an arm failed in one rank, as its gang is told.
#pragma once

#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

/// Tells the exception that is being handled: ArmEnded, WorkerDied or GivenUp. Any other one goes on.
protocol::GangFailed failure_now(const protocol::GangPlace& place);

}  // namespace regatta::launcher
