// How long blocks may be measured.
#pragma once

#include <cstddef>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// `per_contrast` for each contrast of the block, in seconds.
double wanted_seconds(const Sweep& sweep, const Block& block);

/// Active measuring time of a block in seconds: `per_contrast` for each contrast, at most its share of `measure.total`
/// by arms. `sharing_arms`: the arms that share `measure.total`.
double block_budget_seconds(const Sweep& sweep, const Block& block, std::size_t sharing_arms);

}  // namespace regatta::sweep
