// Blocks that no agent of the job can ever hold.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// Refuses them, once all expected agents have joined, unless the job drains. Agents that left count as if they were
/// there: their loss is no reason to skip a block, the next job may have them again.
void refuse_what_nobody_can_hold(Core& core);

}  // namespace regatta::schedule
