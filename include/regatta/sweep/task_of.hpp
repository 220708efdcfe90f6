// From a block of a plan to what is handed to whoever measures it.
#pragma once

#include <cstddef>

#include "regatta/sweep/block_task.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// What a run knows beside the sweep and its plan.
struct RunFacts {
  std::size_t sharing_arms = 1;  ///< arms that share `measure.total`
  double floor = 0;              ///< relative difference that identical code showed here, as far as known
};

/// The task of the block, without an attempt and with no arm dropped.
BlockTask task_of(const Sweep& sweep, const Plan& plan, const Block& block, const RunFacts& facts);

}  // namespace regatta::sweep
