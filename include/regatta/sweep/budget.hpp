// How long blocks may be measured, and whether they are measured again.
#pragma once

#include <cstddef>
#include <optional>

#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// `per_contrast` for each contrast of the block, in seconds.
double wanted_seconds(const Sweep& sweep, const Block& block);
double wanted_seconds(const Sweep& sweep, bool has_baseline, std::size_t arms);

/// Who shares `measure.total`.
struct Sharing {
  std::size_t arms = 1;   ///< in all blocks that are to be measured
  std::size_t slots = 1;  ///< that measure side by side
};

/// Arms of all its blocks.
std::size_t arms_of(const Plan& plan);

/// The part of `measure.total` that is the block's, by arms.
double wall_share(const Block& block, const Sharing& sharing);

/// Wall time of a block, its share of `measure.total`: preparation, starts and all that is measured. Nothing if
/// the sweep has no such limit.
std::optional<double> wall_share_seconds(const Sweep& sweep, const Block& block, const Sharing& sharing);

/// What the blocks of one slot left so far.
struct SlotTime {
  double unused_seconds = 0;  ///< of their shares, or what they took beyond them
  double shared_seconds = 0;  ///< their shares
};

/// Wall time that the next block of a slot may take: its share, and its part of what is unused, which goes to all
/// blocks that are still to come by their shares.
double block_seconds(const SlotTime& slot, double share_seconds, double total_seconds);

/// It took so long.
void note_block(SlotTime& slot, double share_seconds, double seconds);

/// Whether passes follow over blocks that were measured: the best of many again, and on with what is undecided.
bool takes_passes(const Sweep& sweep);

}  // namespace regatta::sweep
