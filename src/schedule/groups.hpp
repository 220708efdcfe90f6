// Groups: k agents at once for a block of k ranks.
//
// When such a block is next, a gathering opens and every agent that asks for work and fits is reserved
// for it: it finishes what it holds and takes nothing else but what most likely ends before the others are
// free. The block starts when k are reserved and hold nothing. Where a machine has k agents, only agents of such
// machines open one, for their own. Nobody starves and nothing deadlocks: the oldest gathering that is not full gets
// every agent that fits it, a full one only waits for blocks that already run, and when an agent goes away
// all gatherings are dissolved and form again.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// Reserves a free agent for the oldest gathering that lacks one like it; false if there is none.
bool join_gathering(Core& core, AgentId id);

/// Opens a gathering for the next block of a class with enough capable agents: reserves `first`, then
/// idle agents.
void open_gathering(Core& core, ClassIndex demand_class, AgentId first);

/// The same by an idle agent, where one may open it.
void gather_idle(Core& core, ClassIndex demand_class);

/// When all agents of a gathering will be free; nothing where that is not known.
std::optional<double> ready_at_seconds(const Core& core, GatheringIndex index);

/// A reserved agent that waits has got something to run meanwhile.
void occupy_again(Core& core, AgentId id);

/// A reserved agent has finished what it held.
void arrived(Core& core, AgentId id);

/// Frees all reserved agents; they ask again at the end of the event.
void dissolve_gatherings(Core& core);

}  // namespace regatta::schedule
