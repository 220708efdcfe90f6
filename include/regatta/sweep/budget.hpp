// How long blocks may be measured, and whether they are measured again.
#pragma once

#include <cstddef>
#include <optional>

#include "regatta/sweep/block_costs.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Active measuring time of a contrast where neither `per_contrast` nor `total` limits it.
inline constexpr double usual_contrast_seconds = 5;

/// Active measuring time of a block at most: `per_contrast` for each of its contrasts, or else all of `total`.
double wanted_seconds(const Sweep& sweep, const Block& block);
double wanted_seconds(const Sweep& sweep, bool has_baseline, std::size_t arms);

/// Active time that slices and pilots of a block are planned for, whatever `total` leaves: more time gives more pairs.
double planning_seconds(const Sweep& sweep, const Block& block);

/// Wall time that blocks ask for, in seconds.
struct TimeNeed {
  double least = 0;  ///< as many processes and squares as may give a verdict
  double full = 0;   ///< all the time that their contrasts may take
};

/// The wall time that the block asks for. An engine that was never started counts as a framework of usual size.
TimeNeed need_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts);

TimeNeed& operator+=(TimeNeed& sum, const TimeNeed& other);

/// The same on each slot that the block takes at once: one for each of its ranks.
TimeNeed need_of_slots(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts);

/// The blocks and slots that share `measure.total`.
struct Sharing {
  TimeNeed all = {};      ///< blocks that are to be measured, on all their slots; none: who asks has all of it
  std::size_t slots = 1;  ///< slots that measure side by side
  Starts starts = {};
};

/// All blocks of the plan share it but clones, which have what is left.
Sharing sharing_of(const Sweep& sweep, const Plan& plan, Starts starts, std::size_t slots);

/// A block's share of the total: all have what they need for a verdict first, and more by what they can use.
double share_seconds(const TimeNeed& block, const Sharing& sharing, double total_seconds);

/// Wall time of a block, its share of `measure.total`: preparation, starts and all that is measured. Nothing if
/// the sweep has no such limit.
std::optional<double> wall_share_seconds(const Sweep& sweep, const Plan& plan, const Block& block,
                                         const Sharing& sharing);

/// The time that the earlier blocks of one slot left.
struct SlotTime {
  double unused_seconds = 0;  ///< unused part of their shares; negative: time beyond them
  double shared_seconds = 0;  ///< their shares
};

/// Wall time that the next block of a slot may take: its share, and its part of what is unused, which goes to all
/// blocks that are still to come by their shares.
double block_seconds(const SlotTime& slot, double share_seconds, double total_seconds);

/// It took so long.
void note_block(SlotTime& slot, double share_seconds, double seconds);

/// Whether passes follow over blocks that were measured: the best of many again, on with what is undecided, and then
/// the clones.
bool takes_passes(const Sweep& sweep);

}  // namespace regatta::sweep
