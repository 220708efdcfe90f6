// Which of two arms is faster, by how much, and whether that is known yet (measuring.md R1 to R4, R18). Logs are
// natural and of time per work of a over that of b: below 0 a is the faster one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/range.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {

enum class Verdict : std::uint8_t { undecided, faster, slower, same };  ///< a against b

std::string_view verdict_name(Verdict verdict);

struct JudgeOptions {
  double alpha = rules::alpha;
  double margin = rules::margin;          ///< smallest relative difference that the user cares about
  double floor = 0;                       ///< relative difference that this device shows between identical arms (R5)
  double half_width = rules::half_width;  ///< half width wanted for a small difference (log)
  double relative_half_width = rules::relative_half_width;  ///< for a large one, as a fraction of |estimate|
  double process_effect = 0;                                ///< f_p of R4 (log); 0 while unknown
  double call_length_misfit = 0;  ///< how far the step time of either arm depends on the length of a call (log, R6)
};

/// log(1 + max(margin, floor)): differences up to it are "same".
double indifference(const JudgeOptions& options);

/// Bits of Judgement::flags: what a reader must know beside the figures.
enum class JudgementFlag : std::uint16_t {
  drifting = 1,        ///< the ratio moved while it was measured: intervals contradict each other, no verdict
  spikes = 2,          ///< rare slow steps: medians of steps, or of blocks, tell another ratio than totals
  disturbed = 4,       ///< some slices carry disturbance flags
  all_disturbed = 8,   ///< all slices of an arm do: no verdict
  carry_over = 16,     ///< slices begin slower or faster than they end
  position = 32,       ///< the place inside a round changes times by more than half the margin
  few_processes = 64,  ///< fewer than 7 process pairs: interval widened by the process effect
  noisy_device = 128,  ///< identical arms differ by more than twice the margin here
  rare_stalls = 256,   ///< the same by the typical block, another ratio by all time together: no verdict
  call_length = 512    ///< calls of some lengths are off a line by more than the margin: the verdict allows for it
};

struct JudgementFlagName {
  JudgementFlag flag;
  std::string_view name;
};
inline constexpr std::array<JudgementFlagName, 10> judgement_flag_names = {
    {{JudgementFlag::drifting, "drifting"},
     {JudgementFlag::spikes, "spikes"},
     {JudgementFlag::disturbed, "disturbed"},
     {JudgementFlag::all_disturbed, "all disturbed"},
     {JudgementFlag::carry_over, "carry-over"},
     {JudgementFlag::position, "position"},
     {JudgementFlag::few_processes, "few processes"},
     {JudgementFlag::noisy_device, "noisy device"},
     {JudgementFlag::rare_stalls, "rare stalls"},
     {JudgementFlag::call_length, "depends on call length"}}};

/// "drifting,spikes"; empty for 0.
std::string judgement_flags_text(std::uint16_t flags);

/// R2: the interval against the margin, `delta` being the log of what counts as no difference.
Verdict verdict_of(Range range, double delta);

/// R2: whether a decided contrast may stop.
bool narrow_enough(Range range, double estimate, const JudgeOptions& options);

struct Judgement {
  Verdict verdict = Verdict::undecided;
  double estimate = std::numeric_limits<double>::quiet_NaN();  ///< median of the units; NaN without any
  double low = -std::numeric_limits<double>::infinity();       ///< infinite while there is no interval
  double high = std::numeric_limits<double>::infinity();
  Range over_call_lengths;  ///< the same over the lengths of calls that were tried: what the verdict is on
  double totals_estimate = std::numeric_limits<double>::quiet_NaN();        ///< from all slices together
  double median_steps_estimate = std::numeric_limits<double>::quiet_NaN();  ///< from medians of steps; NaN if unknown
  double undisturbed_estimate = std::numeric_limits<double>::quiet_NaN();   ///< squares without flagged slices only
  double undisturbed_low = -std::numeric_limits<double>::infinity();
  double undisturbed_high = std::numeric_limits<double>::infinity();
  std::size_t undisturbed_units = 0;
  std::size_t units = 0;          ///< values that the interval rests on: squares, or pairs of processes
  std::size_t squares = 0;        ///< complete squares
  std::size_t process_pairs = 0;  ///< pairs with a complete square
  std::uint16_t flags = 0;        ///< JudgementFlag
  bool precise = false;           ///< decided, and narrow_enough
  double e_value = 1;             ///< evidence against |log ratio| <= indifference, for e-BH (R12)

  [[nodiscard]] bool has(JudgementFlag flag) const { return (flags & static_cast<std::uint16_t>(flag)) != 0; }
  void raise(JudgementFlag flag) { flags |= static_cast<std::uint16_t>(flag); }
};

/// Judges the complete squares: those in which both arms stood equally often at every position. The units are
/// pairs of processes where there are at least 7 or every square has its own; the value of a pair comes from its
/// totals, as that of a square does (R1), and the last pair counts once it has as many squares as the shortest other.
/// Else squares are the units and the interval after n of them is widened by process_effect / sqrt(p), p the effective
/// number of pairs (sum of counts)^2 / sum of squared counts.
/// Intervals of all prefixes are intersected (R3), widened ones since the last new pair: call it after every square as
/// one likes. Cost: O(n log n) apart from short moves.
Judgement judge(const ContrastSlices& contrast, const JudgeOptions& options);

/// The same for log ratios that are units already, in the order they were taken (devices of R11, strata of R15).
Judgement judge_units(std::span<const double> log_ratios, const JudgeOptions& options);

}  // namespace regatta::stats
