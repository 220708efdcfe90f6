// The basis of every verdict on a file: slice values, floors, pilots, the sweep's words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "regatta/analysis/contrast.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/call_lengths.hpp"
#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::analysis {

// clone_check.cpp: One clone against the arm that it is a clone of.

/// Ratio, interval and verdict of a judgement.
CloneCheck clone_check(TrialIndex trial, BlockIndex block, const stats::Judgement& judgement);

/// The result without taking turns; both lists in the order of time.
std::optional<CloneCheck::PlainLoops> plain_loops(std::span<const stats::SliceValue> clone,
                                                  std::span<const stats::SliceValue> original);

// pilot_findings.cpp: Findings about an arm from the unscored slices before a comparison. They tell whether its time is
// a line in the number of steps, and whether it reaches a steady state (measuring.md, R6 and R7).

struct ArmFindings {
  std::optional<stats::CallLengths> calls;  ///< nothing if no pilot tried any
  stats::Flags state;                       ///< slow_down, no_steady_state, or none
};

using BlockFindings = std::vector<ArmFindings>;  ///< one entry for each arm

/// One entry for each block; linear in the samples.
std::vector<BlockFindings> pilot_findings(const results::Results& results, const stats::JudgeOptions& options);

/// Log, 0 where nothing was found.
double call_length_misfit(const ArmFindings& findings);

// process_pairs.cpp: The processes of two arms, the n-th of one beside the n-th of the other: what differs between
// them is what processes differ by.

struct ProcessPair {
  double log_ratio = 0;      ///< totals of a over those of b
  std::int64_t squares = 0;  ///< squares that both took part in
};

/// One for each n of which both arms have a process that share a square, in the order of time.
std::vector<ProcessPair> process_pairs(const std::vector<stats::SliceValue>& a,
                                       const std::vector<stats::SliceValue>& b);

// replaced.cpp: Cells that were measured again after they were chosen: by what they were chosen counts no more as
// their figure.

class Replaced {
 public:
  explicit Replaced(const results::Results& results);

  /// Whether this arm of a block was measured again in another one, beside the same baseline. Its own baseline never
  /// was: it stands in all of them.
  [[nodiscard]] bool contains(const results::BlockRow& block, std::size_t arm) const;

 private:
  std::set<std::pair<TrialIndex, TrialIndex>> again_;  ///< baseline, cell
};

// spec.cpp: The sweep file that results came from, read again.

/// Nothing if it was written for another version of the reader.
std::optional<sweep::Sweep> spec_of(const results::Results& results);

// verdict_rules.cpp: Rules that hold for every verdict, on two arms of a sweep as on two sessions of a trial.

/// The flags of the slot that measured the trial; none where it is not known.
stats::Flags slot_flags(const results::Results& results, const results::TrialRow& trial);

/// Whether one of these flags leaves it undecided: cores that others share make every verdict a matter of luck.
bool forbid_verdict(stats::Flags flags);

/// The verdict of one comparison among many: a difference that so many looks would find anyway is none (R12).
stats::Verdict among_many(stats::Verdict verdict, bool is_discovery);

}  // namespace regatta::analysis
