// Blocks that no agent of the job can ever hold, and arms that no device, no slot or too few agents can run.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// Blocks that ask for a device which no agent that ever joined has (any more) are to run without their arms on it.
/// Before all expected agents have joined this does nothing.
void go_on_without_devices(Core& core);

/// Refuses what nobody can hold, once all expected agents have joined, unless the job drains. Blocks of which fewer
/// agents or smaller slots can run a part (BlockRequest::least_ranks, least_cores) ask for all that there are. Agents
/// that left count as if they were there: their loss is no reason to skip a block, the next job may have them again.
void refuse_what_nobody_can_hold(Core& core);

}  // namespace regatta::schedule
