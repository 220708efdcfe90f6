// Judges two arms: which is faster, by how much, and whether that is known yet (measuring.md R1 to R4, R18). Logs are
// natural and of time per work of a over that of b: below 0 a is the faster one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/pair_interval.hpp"
#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {

enum class Verdict : std::uint8_t { undecided, faster, slower, same };  ///< a against b

std::string_view verdict_name(Verdict verdict);

struct JudgeOptions {
  double alpha = rules::alpha;
  double margin = rules::margin;                            ///< smallest relative difference that the user cares about
  double half_width = rules::half_width;                    ///< half width wanted for a small difference (log)
  double relative_half_width = rules::relative_half_width;  ///< for a large one, as a fraction of |estimate|
  SpreadPrior prior = {};                                   ///< assumed scatter of pairs of processes (R5)
  double call_length_misfit = 0;  ///< how far the step time of either arm depends on the length of a call (log, R6)
  std::optional<double> absolute_margin = {};  ///< in the unit of the values, in place of `margin` (judge_differences)
};

/// log(1 + margin): differences up to it are "same".
double indifference(const JudgeOptions& options);

/// R2: the interval against the margin, `delta` being the log of what counts as no difference.
Verdict verdict_of(Range range, double delta);

/// R2: whether a decided contrast may stop.
bool narrow_enough(Range range, double estimate, const JudgeOptions& options);

/// A ratio read in another way (logs; NaN and infinite where it is not known).
struct Reading {
  double estimate = std::numeric_limits<double>::quiet_NaN();
  Range range;
  Verdict verdict = Verdict::undecided;
  std::size_t squares = 0;  ///< squares that it rests on
};

struct Judgement {
  Verdict verdict = Verdict::undecided;
  bool confirmed = false;  ///< by signs of pairs alone, without an assumption about how they scatter: from 7 pairs on
  double estimate = std::numeric_limits<double>::quiet_NaN();  ///< median of the pairs; NaN without any
  double low = -std::numeric_limits<double>::infinity();       ///< infinite while there is no interval
  double high = std::numeric_limits<double>::infinity();
  Range over_call_lengths;  ///< the same over the lengths of calls that were tried: what the verdict is on
  double totals_estimate = std::numeric_limits<double>::quiet_NaN();        ///< from all slices together
  double median_steps_estimate = std::numeric_limits<double>::quiet_NaN();  ///< from medians of steps; NaN if unknown
  Reading without_stalls;                                                   ///< each pair by its typical square
  Reading undisturbed;                                                      ///< squares without flagged slices only
  double position_effect = 0;     ///< largest |log| of the time at a place in the round that is shown to be another
  PairMoments pairs;              ///< the pairs that the interval rests on: mean and scatter
  std::size_t units = 0;          ///< values that it rests on: pairs of processes
  std::size_t squares = 0;        ///< complete squares
  std::size_t process_pairs = 0;  ///< pairs with a complete square
  Flags flags;                    ///< judgement_flags among them
  bool precise = false;           ///< decided, and narrow_enough
  double e_value = 1;             ///< evidence against |log ratio| <= indifference, for e-BH (R12)

  [[nodiscard]] bool has(Flag flag) const { return flags.has(flag); }
  void raise(Flag flag) { flags.add(flag); }
};

/// Judges the complete squares: those in which both arms stood equally often at every position. Pairs of processes are
/// the units from the first one on; the value of a pair comes from its totals, stalls included (R1), and the last pair
/// counts once it has as many squares as the shortest other. A verdict needs two pairs. Intervals of all prefixes are
/// intersected (R3): call it after every closed pair as one likes. Cost: O(n log n) apart from some 0.1 ms a pair.
Judgement judge(const ContrastSlices& contrast, const JudgeOptions& options);

/// The scatter of a contrast's pairs, for later priors; nothing below two pairs. Pairs of a clone scatter about no
/// difference.
SpreadHistory history_of(const Judgement& judgement, bool is_clone);

/// The same for log ratios of pairs, in the order they were taken.
Judgement judge_units(std::span<const double> log_ratios, const JudgeOptions& options);

/// The same for values that have no order, such as one of each seed: they do not drift, and one interval of all of them
/// is taken, whatever it was with fewer. The estimate is their mean.
Judgement judge_replicates(std::span<const double> log_ratios, const JudgeOptions& options);

/// Whether these are compared by difference, as rewards and log-likelihoods are, which have no ratio (R14): the margin
/// is in their own unit, or one of them is zero or below. All values are finite.
bool needs_differences(std::span<const double> a, std::span<const double> b, const JudgeOptions& options);

struct JudgedDifferences {
  Judgement judgement;   ///< in units of `unit`: NaN and infinite where there is no pair
  double unit = 1;       ///< in the unit of the values
  JudgeOptions options;  ///< the options that judged it; the margin is that of a log ratio of this size
};

/// The n-th value of a beside the n-th of b, as far as both go. The unit is the largest |value| of the first pair that
/// is not all zero. Where later values are more than twice as large it is the largest of all: they would scatter by
/// more than is thought possible. With an order, judged as judge_units(), without one as judge_replicates().
JudgedDifferences judge_differences(std::span<const double> a, std::span<const double> b, const JudgeOptions& options,
                                    bool has_order);

}  // namespace regatta::stats
