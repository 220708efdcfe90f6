// Fusion: neighbouring operations become one. No sum is reordered, so the bits stay the same.
#pragma once

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine {

/// `ops` in the order of step_ops. Fused are bias and activation into the product before them, the
/// bias gradient into the weight gradient after it, an activation's derivative into the input
/// gradient before it, the parts of the loss, and updates that are neighbours in the flat arenas, but
/// for large ones (PlanHints::large_update_bytes).
std::vector<Op> fuse(const std::vector<Op>& ops, const std::vector<BufferSpec>& buffers, const PlanHints& hints);

}  // namespace regatta::engine
