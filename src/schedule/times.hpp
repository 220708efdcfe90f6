// How long blocks take: what was expected of them, times how far that was off for blocks like them.
#pragma once

#include <cmath>

#include "schedule/core.hpp"

namespace regatta::schedule {

/// A block took so long. Lines up what waits anew where that shows that blocks like it stand in a wrong line.
void note_seconds(Core& core, BlockIndex block, double seconds);

/// Seconds of a block from its begin to its end; 0: nobody knows.
double expected_seconds(const Core& core, BlockIndex block);

/// The same, but only of blocks of which some like it were seen.
double learnt_seconds(const Core& core, BlockIndex block);

/// The time that 9 of 10 blocks like it take at most; 0: nobody knows.
double likely_seconds(const Core& core, BlockIndex block);

/// The time that 9 of 10 blocks like it take at most until some of it is kept.
double likely_least_seconds(const Core& core, BlockIndex block);

/// Where a block stands that was never granted.
LineKey line_key(const Core& core, BlockIndex block);

/// Whether a block may be too long to be granted.
inline bool has_end(const Core& core) { return std::isfinite(core.options.end_seconds); }

/// Whether some of the block would still be kept if it began at `begin_seconds`.
bool fits_before_end(const Core& core, BlockIndex block, double begin_seconds);

/// The first place of a queue whose next block fits if it begins at `begin_seconds`.
std::optional<std::size_t> place_before_end(const Core& core, const DemandQueue& queue, double begin_seconds);

/// When the agent will have finished what it holds, as far as that is known.
double free_at_seconds(const Core& core, AgentId id);

}  // namespace regatta::schedule
