// Whole contrasts at the level of slices: the real order of arms, the real judge, looked at after every square.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measuring/replay_noise.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::measuring {

/// Different orders of the arms that replays draw from.
inline constexpr std::uint64_t order_seeds = 1U << 16;

enum class Order : std::uint8_t { balanced, fixed, sequential };

/// How contrasts are taken and judged; everything but the defaults is a mutant of the rules or another way of
/// starting processes.
struct Method {
  Order order = Order::balanced;
  std::size_t squares_per_process = 1;
  std::size_t most_squares = 64;
  double margin = 0.01;
  double least_evidence = 0;          ///< e-value that a difference needs before a contrast stops (R12)
  bool squares_as_pairs = false;      ///< mutant: squares of one pair of processes count as replicates
  bool drop_flagged = false;          ///< mutant: flagged slices never reach the judge
  bool medians_of_steps = false;      ///< mutant: slices are valued by their median step
  bool peeking_bootstrap = false;     ///< mutant: 95 % bootstrap of the median, looked at after every square
  std::size_t first_mutant_look = 7;  ///< squares before its first look
};

struct Outcome {
  stats::Verdict verdict = stats::Verdict::undecided;
  stats::Range range;
  stats::Flags flags;
  std::size_t squares = 0;
  bool precise = false;
  double e_value = 1;

  /// May stop after this square.
  [[nodiscard]] bool settled(double least_evidence) const {
    return precise && (verdict == stats::Verdict::same || e_value >= least_evidence);
  }
};

/// One contrast with a planted log effect. Time of a over b.
Outcome replay(const Noise& noise, double effect, const Method& method, std::uint64_t seed);

/// `judge` after every square, literally; what `replay` finds in less time.
Outcome replay_plainly(const Noise& noise, double effect, const Method& method, std::uint64_t seed);

/// Sets the scale that makes the robust spread of block values `spread`, and measures what it is.
Noise calibrated(Noise noise, double spread, const Method& method, std::uint64_t seed);

}  // namespace regatta::measuring
