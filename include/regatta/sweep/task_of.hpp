// From a block of a plan to what is handed to whoever measures it.
#pragma once

#include "regatta/sweep/block_task.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// What a run knows beside the sweep and its plan.
struct RunFacts {
  Sharing sharing = {};
  double floor = 0;  ///< relative difference that identical code showed here, as far as known
};

/// The task of the block, without an attempt and with no arm dropped.
BlockTask task_of(const Sweep& sweep, const Plan& plan, const Block& block, const RunFacts& facts);

}  // namespace regatta::sweep
