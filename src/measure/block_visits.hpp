// A block of a group, visit by visit: a pair of processes in each.
#pragma once

#include <optional>

#include "measure/measure.hpp"
#include "measure/slice_loop.hpp"
#include "regatta/measure/block_outcome.hpp"
#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// A block between its visits.
struct VisitedBlock {
  VisitedBlock(Arms& arms, const sweep::BlockTask& task) : run(arms, task) {}

  BlockRun run;
  std::optional<Comparison> comparison = std::nullopt;  ///< nothing: it is over with its first visit
  ToldOf told = {};
  double untold_seconds = 0;  ///< wall time of visits that were not told yet
};

/// Prepares and pilots its arms, looks whether they do the same work, and measures the first pair; or, where nothing is
/// compared pair by pair, all of it. Returns how the block ended; nothing: it goes on.
std::optional<BlockOutcome> first_visit(VisitedBlock& block);

/// Measures another pair.
std::optional<BlockOutcome> next_visit(VisitedBlock& block);

/// The block that goes on stops here, for this reason.
BlockOutcome stopped(VisitedBlock& block, sweep::WhyStopped why);

/// The same because of a drain.
BlockOutcome drained(VisitedBlock& block);

}  // namespace regatta::measure
