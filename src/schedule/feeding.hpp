// Which agent gets which blocks next, and how many.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// Gives a free agent work until it holds more than Options.outstanding blocks, or reserves it for a
/// group, or puts it among the idle.
void feed(Core& core, AgentId id);

/// Offers what waits to idle agents; needed only after blocks came back.
void feed_idle(Core& core);

/// Whether a block waits that could still begin, were all agents that are at work free now.
bool some_may_begin(const Core& core);

/// Takes a granted block from its agents, who will ask for more at the end of the event; the caller
/// concludes it or returns it.
void take_away(Core& core, BlockIndex block);

}  // namespace regatta::schedule
