// Runs blocks on an agent's slot.
#pragma once

#include <functional>
#include <span>

#include "measuring/agent_slot.hpp"
#include "measuring/slot_arms.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/measure/run_group.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// Callbacks for the blocks of a tour.
struct TourLine {
  std::function<void(const sweep::BlockTask&)> begins;  ///< a visit
  /// The block is over, or it goes on and this is what was new (protocol::BlockResult::goes_on).
  std::function<void(const sweep::BlockTask&, measure::BlockOutcome)> told;
};

/// Whether it is known beforehand what the block will ask for, so that others can be sent to its worker with it.
bool goes_in_lots(const sweep::BlockTask& task);

/// Whether it is a comparison of workers that is told pair by pair, as the blocks of a tour are.
bool is_told_by_visits(const sweep::BlockTask& task);

/// measure::run_block on processes, one block after the other; each result also has its wall times and, once, the
/// slot's calibration. Where it is known what the blocks ask for, their worker is told all of it at once. A death among
/// several such blocks names none of them: the one that seemed to run then begins anew by itself.
void run_blocks(AgentSlot& slot, std::span<const sweep::BlockTask> tasks, measure::BlockBudget& budget,
                const BlockLine& line,
                const std::function<void(const sweep::BlockTask&, measure::BlockOutcome)>& ended);

/// measure::run_group on processes: blocks of one tour. Results of visits have their wall times, as those of blocks
/// have.
void run_tour(AgentSlot& slot, std::span<const sweep::BlockTask> tasks, measure::BlockBudget& budget,
              const BlockLine& line, const TourLine& told);

}  // namespace regatta::launcher
