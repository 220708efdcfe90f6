// How a block changes hands: granted, given up, returned, over.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// Grants up to `at_most` next blocks of a class to one agent.
void grant_range(Core& core, ClassIndex demand_class, AgentId id, std::uint32_t at_most);

/// Grants the next block of a class to `agents` (ascending; all hold nothing).
void grant_group(Core& core, ClassIndex demand_class, std::vector<AgentId> agents);

/// Removes a block from what its owner holds.
void drop_held(Core& core, BlockIndex block);

/// Puts a block taken away back among those that wait.
void return_to_queue(Core& core, BlockIndex block);

/// Marks a block taken away, or refused, as over.
void conclude(Core& core, BlockIndex block);

}  // namespace regatta::schedule
