// Runs blocks on an agent's slot.
#pragma once

#include <functional>
#include <span>

#include "measuring/agent_slot.hpp"
#include "measuring/slot_arms.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// measure::run_block on processes, one block after the other; each result also has its wall times and, once, the
/// slot's calibration. Where it is known what the blocks ask for, their worker is told all of it at once. A death among
/// several such blocks names none of them: the one that seemed to run then begins anew by itself.
void run_blocks(AgentSlot& slot, std::span<const sweep::BlockTask> tasks, measure::BlockBudget& budget,
                const BlockLine& line,
                const std::function<void(const sweep::BlockTask&, measure::BlockOutcome)>& ended);

}  // namespace regatta::launcher
