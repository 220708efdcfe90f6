// Before the first scored slice: how long a step takes, and how long a fresh process warms up. What a pilot measures
// never enters a comparison.
#pragma once

#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// First step, then slices of growing length until one is long enough to tell `step_seconds`.
void pilot(BlockRun& run, Arm& arm);

/// After all pilots: arms that are compared begin at the same step of training, as far as they have time for it.
void share_warm_ups(BlockRun& run);

/// Fresh processes for the arm in place of those it has: started, prepared, its first step and its warm-up run.
void renew_process(BlockRun& run, Arm& arm, std::int64_t reentry_steps);

}  // namespace regatta::measure
