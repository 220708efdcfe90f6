// The slices that a block asks of its arm, where they are known before the first answer.
#pragma once

#include <vector>

#include "regatta/measure/arms.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::measure {

/// The slices that run_block() takes of its one arm, after it was prepared and before it is released; none where they
/// depend on what is measured, or where something else happens between them. So it is with blocks that fix slices of
/// one step: longer ones are stamped in groups as their steps take time.
std::vector<SliceRequest> foreseen_slices(const sweep::BlockTask& task);

}  // namespace regatta::measure
