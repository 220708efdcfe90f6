// How a block changes hands: granted, given up, returned, over.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// Grants up to `at_most` next blocks from a place of a class's queue to one agent.
void grant_range(Core& core, ClassIndex demand_class, AgentId id, std::uint32_t at_most, std::size_t place);

/// Grants the next block from a place of a class's queue to `agents` (ascending; all hold nothing).
void grant_group(Core& core, ClassIndex demand_class, std::vector<AgentId> agents, std::size_t place);

/// Removes a block from what its owner holds.
void drop_held(Core& core, BlockIndex block);

/// Removes a group's block from what one of its agents holds.
void drop_group(Core& core, AgentId id);

/// Puts a block taken away back among those that wait.
void return_to_queue(Core& core, BlockIndex block);

/// Marks a block taken away, or refused, as over.
void conclude(Core& core, BlockIndex block);

}  // namespace regatta::schedule
