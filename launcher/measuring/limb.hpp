// An agent that runs one rank of a gang's arms, as its leader orders.
#pragma once

#include "measuring/agent_slot.hpp"
#include "measuring/measuring.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// Serves the leader of the task's gang until that lets it go. `rank` is this agent's place in the gang.
void serve_gang(AgentSlot& slot, const sweep::BlockTask& task, std::uint32_t rank, const GangLink& link);

}  // namespace regatta::launcher
