// Runs one block on an agent's slot.
#pragma once

#include "measuring/agent_slot.hpp"
#include "measuring/slot_arms.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// measure::run_block on processes; the result also has its wall times and, once, the slot's calibration.
measure::BlockOutcome run_block(AgentSlot& slot, const sweep::BlockTask& task, measure::BlockBudget& budget,
                                const BlockLine& line);

}  // namespace regatta::launcher
