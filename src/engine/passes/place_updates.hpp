// Updates of large parameters move to where their gradients are made: a backend may then update each part
// while the gradient is still in a cache, instead of reading it again at the end of the step.
#pragma once

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine {

/// Whether an update of so many values is one of PlanHints::large_update_bytes.
bool is_large_update(std::int64_t count, const PlanHints& hints);

/// Moves each update of a large parameter directly behind the product that makes its gradient, where nobody reads the
/// parameter later in the step; an input gradient that does goes before the product.
void place_updates(std::vector<Op>& ops, const PlanHints& hints);

}  // namespace regatta::engine
