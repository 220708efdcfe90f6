// Comparisons of arms: a contrast, trials without one, and what identical code showed (measuring.md R2, R5). The report
// words them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/values.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/stats/clones.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/range.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/metrics.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::analysis {

/// time(a) / time(b), judged by stats::judge; over replicates by stats::judge_replicates.
struct Contrast {
  TrialIndex a;
  TrialIndex b;  ///< the baseline
  BlockIndex block;
  /// One of those that were joined, such as that of one seed.
  struct Replicate {
    TrialIndex a;
    TrialIndex b;
    BlockIndex block;
    double log_ratio = 0;
  };
  /// The contrasts that were joined, at least two; a, b and block are the first one's. Empty: the contrast is of one
  /// block.
  std::vector<Replicate> replicates;
  std::vector<sweep::Param> replicate_axes;  ///< in which they differ
  /// The difference to report, where arms are compared by difference. `ratio` and its fields then describe
  /// exp(difference / unit), which is judged and never printed.
  std::optional<Difference> difference;
  double ratio = 0;
  std::optional<double> low;  ///< 95 %, valid whenever measuring stopped; nothing without a closed pair of processes
  std::optional<double> high;
  /// The interval over all lengths of calls that the pilots tried, where the time of a step depends on them (R6): what
  /// the verdict is on.
  struct OverCalls {
    double low = 0;
    double high = 0;
    std::int64_t shortest_steps = 0;
    std::int64_t longest_steps = 0;
  };
  std::optional<OverCalls> over_calls;
  double ratio_of_medians = 0;      ///< ratio of median steps: without stalls; NaN if unknown
  std::int64_t squares = 0;         ///< complete, balanced
  std::int64_t processes = 0;       ///< processes of both arms together
  std::int64_t fewest_squares = 0;  ///< fewest that a pair of processes took part in
  std::int64_t most_squares = 0;
  double margin = 0;
  stats::PairMoments pairs;          ///< mean and scatter of the pairs of processes that the interval rests on
  std::optional<double> resolution;  ///< the smallest relative difference that would have been told; nothing without
                                     ///< an interval
  sweep::Metric metric = sweep::Metric::time_per_step;  ///< metric of the two arms that the ratio divides
  std::string result;                                   ///< its name, of the metric result
  std::int64_t steps_from_start = 0;                    ///< N of the metric time_to_n
  stats::Flags flags;
  stats::Verdict verdict = stats::Verdict::undecided;  ///< a against b
  bool precise = true;                                 ///< as narrow as the sweep asks, where there is a verdict
  double e_value = 1;                                  ///< evidence for a difference
  double position_effect = 0;  ///< largest |log| by which a place in the round changes times (R9)
  bool confirmed = false;      ///< the verdict, by signs of pairs alone; if not, it is an early one
  bool one_of_many = false;    ///< its interval tells a difference, but among so many it may be chance (R12): undecided
  /// The same without squares in which a slice was disturbed (R18).
  struct Undisturbed {
    double ratio = 1;
    std::optional<double> low;
    std::optional<double> high;
    std::int64_t squares = 0;
    stats::Verdict verdict = stats::Verdict::undecided;
  };
  std::optional<Undisturbed> undisturbed;  ///< nothing if no slice was disturbed, or one of every square
  /// The same by the typical square of each pair, which leaves stalls out (R1).
  struct WithoutStalls {
    double ratio = 1;
    double low = 1;
    double high = 1;
  };
  std::optional<WithoutStalls> without_stalls;  ///< only where it contradicts the verdict, so that there is none
  /// The pairs of processes needed to tell smaller differences, if they scatter like the present pairs.
  struct Outlook {
    double target = 0;            ///< relative difference
    std::int64_t more_pairs = 0;  ///< 0: no time tells so small a difference here; of replicates: more of them
    double seconds = 0;  ///< time that these pairs take, about, starts included; 0: replicates, which the sweep names
  };
  std::optional<Outlook> outlook;  ///< where its resolution is above the target
  /// One reason; of replicates each that occurs.
  std::vector<sweep::WhyStopped> why_stopped;
};

/// Why a trial of a comparison has no contrast.
enum class NoContrastReason : std::uint8_t {
  not_finished,           ///< it failed, was skipped, or is open
  no_baseline,            ///< no trial of the sweep is its baseline
  baseline_not_finished,  ///< its baseline failed, was skipped, or is open
  other_work,             ///< it does other work than its baseline
  no_result,              ///< a run of it, or of its baseline, gave no finite number that the sweep compares by
  no_value,               ///< it gave no value of the metric that the sweep compares by
  few_slices,             ///< it has no complete square, as the sweep asks for too few slices
  no_square               ///< it has no complete square of slices with its baseline
};

/// A trial of a comparison without a contrast.
struct NoContrast {
  TrialIndex trial;
  NoContrastReason why = NoContrastReason::not_finished;
  TrialIndex of;            ///< the trial that the reason is about: itself, or its baseline
  std::int64_t slices = 0;  ///< how many the sweep asks of each arm, of few_slices
};

/// The verdicts on identical code that was measured twice (R5).
using IdenticalCode = stats::CloneChecks;

/// A baseline against itself in processes of its own: what the same rules say where there is no difference (R5).
struct CloneCheck {
  TrialIndex trial;
  BlockIndex block;
  double ratio = 1;
  std::optional<double> low;
  std::optional<double> high;
  std::int64_t squares = 0;
  stats::Verdict verdict = stats::Verdict::undecided;
  /// The result of two plain loops, one after the other, from the same slices. It compares the first half of the time
  /// with the clone's second half: mean and 1.96 standard errors. Nothing where a half has fewer than 2 slices.
  struct PlainLoops {
    double ratio = 1;
    double low = 1;
    double high = 1;
    [[nodiscard]] bool tells_apart() const { return low > 1 || high < 1; }
  };
  std::optional<PlainLoops> plain;
};

struct Contrasts {
  Axes axes;                                       ///< the axes that tell arms and settings apart
  sweep::Metric metric = sweep::Measure{}.metric;  ///< metric that the sweep compares by
  std::optional<sweep::ComparedResult> result;     ///< where that is a number of its programs
  std::string result_unit;
  std::vector<Contrast> contrasts;
  /// Contrasts of cells that a final measured again: the cells were chosen by these figures.
  std::vector<Contrast> replaced;
  std::vector<NoContrast> missing;  ///< in the order of the plan
  IdenticalCode identical;
  std::vector<CloneCheck> clones;  ///< the checks that `identical` counts, in the order of blocks
};

/// The word for a verdict on this metric: "faster", of memory "smaller".
std::string_view verdict_word(stats::Verdict verdict, sweep::Metric metric);

/// "time_per_step", or the number of its programs that the sweep compares by; its unit.
std::string metric_name(const Contrasts& contrasts, sweep::Metric metric);
std::string metric_unit(const Contrasts& contrasts, sweep::Metric metric);

/// "faster", "slower", "same", "undecided".
std::string verdict_text(const Contrast& contrast);

/// The facts that the words for a ratio are made from.
JudgedRatio judged_ratio(const Contrast& contrast);
JudgedRatio judged_ratio(const CloneCheck& clone);

/// Whether the undisturbed squares, five or more of them, give another verdict (R18).
bool hangs_on_disturbed(const Contrast& contrast);

/// Whether it was joined from the contrasts of several seeds, repeats or the like.
bool has_replicates(const Contrast& contrast);

/// The block of each replicate, or its own.
std::vector<BlockIndex> blocks_of(const Contrast& contrast);

/// Whether measuring on may give a verdict: not where cores are shared, nor over replicates, of which more are needed.
bool can_be_decided(const Contrast& contrast);

/// Whether its verdict rests on how such pairs scattered before.
inline bool is_early(const Contrast& contrast) {
  return contrast.verdict != stats::Verdict::undecided && !contrast.confirmed;
}

/// "decided"; of replicates each reason that occurs, as "decided,time spent".
std::string why_stopped_text(const Contrast& contrast);

/// Whether this ended it; of replicates, whether it ended all of them.
bool stopped_for(const Contrast& contrast, sweep::WhyStopped why);

/// Whether the sweep file says how many slices it has: more time adds none.
bool has_fixed_slices(const Contrast& contrast);

/// Whether more pairs of processes would confirm an early verdict.
bool can_be_confirmed(const Contrast& contrast);

/// How its two values are compared.
sweep::Scale scale_of(const Contrast& contrast);

/// Its resolution where it is a difference; nothing where it has none.
std::optional<double> resolution_in_unit(const Contrast& contrast);

/// Log ratio and its interval; nothing without one, or where it is a difference.
std::optional<stats::Estimate> log_estimate(const Contrast& contrast);

}  // namespace regatta::analysis
