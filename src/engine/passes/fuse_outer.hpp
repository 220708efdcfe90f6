// Fusion of an outer product into the weight gradient that alone reads it: in front of a layer with a single unit the
// gradient of the data is a column times a row, and cheaper made twice than stored once.
#pragma once

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine {

/// After fuse, as far as PlanHints::outer_b_rows says: no sum is reordered, so the bits stay the same.
void fuse_outer_products(std::vector<Op>& ops, const std::vector<BufferSpec>& buffers, const PlanHints& hints);

}  // namespace regatta::engine
