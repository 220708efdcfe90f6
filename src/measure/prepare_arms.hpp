// Builds the arms of a block, as many as memory holds at once.
#pragma once

#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// Prepares every living arm, the baseline first. An arm whose memory, with that of the arms before it, exceeds
/// limits.memory (or, without that limit, the machine's memory) is freed again and ends as failed, saying so.
void prepare_arms(BlockRun& run);

/// The same after the pilots, of what their first steps were seen to use.
void refuse_what_outgrew_memory(BlockRun& run);

}  // namespace regatta::measure
