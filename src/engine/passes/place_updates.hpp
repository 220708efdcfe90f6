// Updates of large parameters move to where their gradients are made: a backend may then update each part
// while the gradient is still in a cache, instead of reading it again at the end of the step.
#pragma once

#include "engine/ir/program.hpp"

namespace regatta::engine {

inline constexpr std::int64_t kLargeUpdateBytes = 128 << 10;  ///< of a parameter: what no first-level cache keeps

/// Moves each update of a large parameter directly behind the product that makes its gradient, where nobody reads the
/// parameter later in the step; an input gradient that does goes before the product.
void place_updates(std::vector<Op>& ops);

}  // namespace regatta::engine
