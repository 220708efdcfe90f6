// How long each arm's slices are: from its step time, and from how far slices of one arm are apart in a few unscored
// rounds (measuring.md, R3).
#pragma once

#include <cstddef>
#include <vector>

#include "regatta/measure/block_run.hpp"
#include "regatta/stats/process_pairs.hpp"
#include "regatta/stats/slices.hpp"

namespace regatta::measure {

struct SliceLengths {
  stats::SlicePlan plan;
  std::vector<std::size_t> arms;  ///< plan.arms[i] is of this arm, by place in the block

  std::vector<double> slice_seconds;  ///< time that a slice of the same arm shall take, re-entry left out

  [[nodiscard]] const stats::ArmSlices& of(std::size_t at) const;
};

/// From step times alone.
SliceLengths planned_lengths(const BlockRun& run, double budget_seconds);

/// The expected time of a square: every arm once at each position.
double square_seconds(const BlockRun& run, const SliceLengths& lengths);

/// Runs unscored rounds of the living arms; makes re-entries longer where slices begin unlike they go on, and slices
/// where that is so or where the first arm's ratio to the others scatters. Step times are better known then.
/// Programs that fill a slice with one run get no such rounds.
void adapt_lengths(BlockRun& run, SliceLengths& lengths, double budget_seconds);

/// Before a square: slices of arms whose earlier scored slices took much longer or shorter than planned get another
/// number of steps. It is known before the square begins, so that nothing a square shows decides how much of it counts.
void correct_lengths(const BlockRun& run, SliceLengths& lengths);

/// Decides the order of the arms in each round.
std::uint64_t order_seed(const sweep::BlockTask& task);

}  // namespace regatta::measure
