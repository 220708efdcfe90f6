// Runs a leg of training: one arm, from where the leg before it ended.
#pragma once

#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// Trains the block's one arm through its leg and keeps what it learned.
void train_leg(BlockRun& run);

}  // namespace regatta::measure
