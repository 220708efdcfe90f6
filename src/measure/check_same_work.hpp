// Before the first scored slice: whether the arms do the same work.
#pragma once

#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// Compares what the first steps of the living arms compute with the baseline's, where they owe each other the same.
void check_same_work(BlockRun& run);

}  // namespace regatta::measure
