// Which agent gets which blocks, and how many.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// Gives a free agent work until it holds more than Options.outstanding blocks, or reserves it for a
/// group, or puts it among the idle.
void feed(Core& core, AgentId id);

/// Offers what waits to idle agents; needed only after blocks came back.
void feed_idle(Core& core);

/// Grants the next block of a class to `agents` (ascending; all hold nothing).
void grant_group(Core& core, ClassIndex demand_class, std::vector<AgentId> agents);

/// Takes a granted block from its agents, who will ask for more at the end of the event; the caller
/// concludes it or returns it.
void take_away(Core& core, BlockIndex block);

/// Puts a block taken away back among those that wait.
void return_to_queue(Core& core, BlockIndex block);

/// Marks a block taken away, or refused, as over.
void conclude(Core& core, BlockIndex block);

}  // namespace regatta::schedule
