// From a block of a plan to what is handed to whoever measures it.
#pragma once

#include "regatta/stats/pair_spreads.hpp"
#include "regatta/sweep/block_task.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Facts that a run knows beside the sweep and its plan.
struct RunFacts {
  Sharing sharing = {};
  stats::SpreadPool spreads = {};  ///< how pairs of processes scattered before, by process_class
  bool confirms = false;           ///< blocks go on until their verdicts are confirmed
};

/// The task of the block, without an attempt and with no arm dropped.
BlockTask task_of(const Sweep& sweep, const Plan& plan, const Block& block, const RunFacts& facts);

}  // namespace regatta::sweep
