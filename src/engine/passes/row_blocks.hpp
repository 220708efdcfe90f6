// A step of a small dense network, some rows of its batch at a time: what the layers leave for each other
// stays in the first-level cache. Sums over the batch go on from block to block where the backend would
// have cut them anyway, so no bit changes.
#pragma once

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine {

/// Takes the step of `batch` rows in blocks, where all of its operations allow it and it is worth it; else leaves `ops`
/// as they are. Adds the buffers of a block to `buffers`: temporaries of its size, and places inside those of
/// other roles, whose `offset` counts from the role's own buffer.
void take_in_row_blocks(std::vector<Op>& ops, std::vector<BufferSpec>& buffers, std::int64_t batch,
                        const PlanHints& hints);

}  // namespace regatta::engine
