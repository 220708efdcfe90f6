// An arm of several ranks: one in a worker of this agent, the others in those of the agents that it leads.
#pragma once

#include <memory>

#include "measuring/measuring.hpp"
#include "measuring/process_arm.hpp"

namespace regatta::launcher {

/// The first agents of the block's gang are its ranks, this one the first. `task` and `link` outlive the arm.
std::unique_ptr<ProcessArm> make_gang_arm(AgentSlot& slot, const sweep::BlockTask& task, ArmPlace place,
                                          const GangLink& link);

/// Lets the rest of the gang go. `block` is over, or was not begun.
void end_gang(const std::vector<AgentId>& gang, BlockIndex block, AttemptId attempt, const GangLink& link);

}  // namespace regatta::launcher
