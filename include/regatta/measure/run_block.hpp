// One block from its task to its result: prepare the arms, pilot, same work, interleaved slices.
#pragma once

#include "regatta/measure/arms.hpp"
#include "regatta/measure/block_budget.hpp"
#include "regatta/measure/block_outcome.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::measure {

/// Runs the block. An unexplained death ends the attempt; an arm that ends by itself leaves the others alone. The
/// result's wall times are the caller's to fill in.
BlockOutcome run_block(Arms& arms, const sweep::BlockTask& task, BlockBudget& budget);

}  // namespace regatta::measure
