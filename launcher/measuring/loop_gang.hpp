// A loop of several ranks: rank 0 is a worker that talks to its agent, the others are programs on the slots of the
// group.
#pragma once

#include <memory>

#include "measuring/agent_slot.hpp"
#include "measuring/process_arm.hpp"
#include "measuring/program_gang.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// `task`, whose `launch` says how its ranks start, outlives the arm.
std::unique_ptr<ProcessArm> make_loop_gang(AgentSlot& slot, const sweep::ArmTask& task, ArmPlace place,
                                           ProgramGroup group);

}  // namespace regatta::launcher
