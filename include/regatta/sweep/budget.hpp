// How long blocks may be measured, and whether they are measured again.
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

/// Whether passes follow over blocks that were measured: the best of many again, and on with what is undecided.
bool takes_passes(const Sweep& sweep);

}  // namespace regatta::sweep
