// How the fresh processes of a block began, and after how many steps a slower start has paid (measuring.md R13). A cold
// start goes from a process's start to the end of its first step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::stats {

/// In the flags of a preparation: the process found compiled what an earlier one of its trial had left in the run's
/// caches.
inline constexpr std::uint8_t warm_caches = 64;

/// One fresh process, its parts in seconds.
struct ColdStart {
  std::uint32_t process = 0;  ///< counts the processes of its arm from 0, as SliceValue::process does
  double start = 0;           ///< until it was ready, imports included
  double prepare = 0;         ///< until the model was built
  double first_step = 0;      ///< its first call, what it compiles included
  bool is_warm = false;       ///< it found warm compile caches

  [[nodiscard]] double seconds() const { return start + prepare + first_step; }
};

/// For each arm, in the order of time; `arms` lists. A process that was warm before the block has none. Samples of
/// other ranks than 0 are left out; those of an arm stand in the order of time.
std::vector<std::vector<ColdStart>> cold_starts(std::span<const Sample> block, std::size_t arms);

/// Median of one value for each fresh process; its range has ends from 7 values on ("n = k, no interval" below). NaN
/// without any.
Estimate cold_start(std::span<const ColdStart> starts, double alpha = rules::alpha);

/// The starts that began with warm caches, or the ones that did not.
std::vector<ColdStart> those_with(std::span<const ColdStart> starts, bool is_warm);

/// The costs of a pair of fresh processes, in seconds.
struct PairCosts {
  double cold_a = 0;
  double cold_b = 0;
  double step_a = 0;  ///< one step, over all complete squares that the pair served
  double step_b = 0;
  bool is_warm = false;  ///< one of them found warm compile caches
};

/// The pairs of a contrast in which both processes were fresh; its work is counted in steps.
std::vector<PairCosts> pair_costs(const ContrastSlices& contrast, std::span<const ColdStart> of_a,
                                  std::span<const ColdStart> of_b);

/// N* = (cold a - cold b) / (step b - step a), a starting slower: the number of steps after which a fresh process of a
/// is as likely ahead of one of b as behind it. Infinite: never. The range has ends from 7 pairs on: it holds each N at
/// which the signs of (cold a - cold b) - N (step b - step a) over pairs do not tell who is ahead
/// (sign_rank), so that both starts and both steps enter as they varied, whatever their distribution. NaN without
/// pairs.
Estimate break_even(std::span<const PairCosts> pairs, double alpha = rules::alpha);

}  // namespace regatta::stats
