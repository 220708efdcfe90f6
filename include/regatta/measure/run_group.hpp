// Blocks that share their processes, from their tasks to their results: breadth first, in tours.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "regatta/measure/arms.hpp"
#include "regatta/measure/block_budget.hpp"
#include "regatta/measure/block_outcome.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::measure {

/// A block of a group, and its arms. They share their processes with the arms at the same places of the other blocks.
struct GroupBlock {
  Arms& arms;
  const sweep::BlockTask& task;
};

/// Callbacks for the events of a group's blocks, each named by its place in the group.
struct GroupTold {
  std::function<void(std::size_t block, BlockOutcome outcome)> ended;
  /// A visit is over and the block goes on: what was measured since the last such call. Nothing: nobody wants to know,
  /// and the block's outcome has all of it.
  std::function<void(std::size_t block, protocol::BlockResult visited)> visited = {};
  /// A visit of this block begins.
  std::function<void(std::size_t block)> begins = {};
};

/// Runs blocks whose arms need the same processes, breadth first. A tour starts these processes once and visits the
/// blocks in them, one pair for each; the first one all of them in their order, later ones those that are still open,
/// in fresh processes and in the order of what another pair is worth to them. Ends when no block is open, or when the
/// time of all of them does not hold a start and the shortest visit.
void run_group(std::span<const GroupBlock> group, BlockBudget& budget, const GroupTold& told);

}  // namespace regatta::measure
