// How a block's arms take turns: the order inside each round and the length of each slice. Pure functions;
// the agent only carries them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "regatta/stats/rules.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::stats {

/// The order of the arms 0 .. arms - 1 in `round` (counted from 0). A square is a round and its mirror image, so that
/// all arms have the same mean place and a machine that grows slower evenly slows all of them alike. Two arms: AB BA or
/// BA AB. The first rounds of `arms` squares in a row are the rows of a Williams square (E. J. Williams, 1949) whose
/// arms and rows `seed` shuffles: over these squares each arm stands at each place equally often and follows each other
/// arm equally often.
std::vector<std::uint32_t> round_order(std::size_t arms, std::uint64_t round, std::uint64_t seed);

/// Slices of each arm in a square: 2, and 1 where an arm is alone.
std::uint64_t rounds_per_square(std::size_t arms);

inline constexpr std::int64_t fewest_rounds = 3;
inline constexpr std::int64_t most_rounds = 64;

/// The steps of one arm in each of its slices.
struct ArmSlices {
  std::int64_t reentry_steps = 0;  ///< run before the scored ones
  std::int64_t steps = 1;          ///< scored; a multiple of `group` unless the sweep fixes it
  std::int64_t group = 1;          ///< steps of one sample
  bool wait_each = false;          ///< a sample ends when its steps are done, not when they were handed over
  std::int64_t reentry_group = 1;  ///< steps of one sample before the scored ones: workers find it by themselves
  bool operator==(const ArmSlices&) const = default;
};

/// A slice that an arm is to run: what the loop asks for, and what links carry to workers and to other ranks.
struct SliceOrder {
  Phase phase = Phase::steady;
  std::uint32_t slice = 0;  ///< number that goes into the samples
  ArmSlices length = {};
  bool operator==(const SliceOrder&) const = default;
};

/// Fixed before the first scored slice; nothing measured later changes it.
struct SlicePlan {
  std::vector<ArmSlices> arms;
  std::int64_t rounds = fewest_rounds;  ///< slices of each arm
};

/// The values that the sweep file fixes, if any (`measure.slices`, `measure.steps`).
struct FixedSlices {
  std::optional<std::int64_t> rounds;
  std::optional<std::int64_t> steps;
  bool single_calls = false;  ///< each call is a sample, and waited for; slices are no longer than their samples allow
};

/// The times that decide how long slices are, beside the time of a step.
struct SliceTimes {
  double budget_seconds = 0;                    ///< active time of the whole block, re-entry included
  double slice_seconds = rules::slice_seconds;  ///< wanted, scored
  bool keeps_steps = false;  ///< a slice takes several long steps, so that its re-entry costs less than it
};

/// Plans slices from a pilot's seconds per step of each arm, to fit the budget: as many rounds as fit, in complete
/// squares where the budget holds one. Long steps get short re-entries: 1 above 10 ms, none from 1 s on.
/// 64 rounds of 6 arms stay below 200,000 samples. Single calls are those of one step; where a call takes more, workers
/// count in whole calls.
SlicePlan plan_slices(const std::vector<double>& step_seconds, const SliceTimes& times, const FixedSlices& fixed = {});

/// The same slices with so many scored steps, at least 1, in samples of as many steps as before, or more.
ArmSlices with_steps(ArmSlices slices, std::int64_t steps);

/// The same plan with slices `factor` >= 1 times as long and as many fewer rounds, never below `fewest_rounds`.
SlicePlan lengthened(SlicePlan plan, double factor);

/// From the pilot's log ratios of squares (measuring.md R3): how many times as long slices shall be. They are
/// lengthened until the spread, falling with the root of length, is below `delta`, but only as far as the `affordable`
/// squares of the present length still make `rules::kept_squares`; `carry_over` (R8) at least doubles them.
double slice_factor(std::span<const double> log_ratios, double delta, double affordable, bool carry_over);

}  // namespace regatta::stats
