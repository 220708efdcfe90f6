// Contrasts from what a file is judged by.
#pragma once

#include <optional>
#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "regatta/analysis/fastest.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

Contrasts contrasts(const Judge& judge);

// differences.cpp: Contrasts of results that have no ratio, or whose margin is in their own unit: compared by
// difference (measuring.md R14).

/// The judged difference between an arm of a block and its baseline; nothing where they have a ratio, or told no
/// numbers.
std::optional<stats::JudgedDifferences> judge_by_difference(const Judge& judge, BlockIndex block, std::size_t arm);

/// The same over the replicates of a joined contrast, where one of these contrasts is a difference: each by the mean of
/// what its runs told.
std::optional<stats::JudgedDifferences> judge_by_difference(const Judge& judge, const std::vector<Contrast>& members,
                                                            const stats::JudgeOptions& options);

/// Sets the difference of a contrast that was judged so.
void tell_difference(Contrast& contrast, const stats::JudgedDifferences& judged);

// fastest.cpp: The fastest of each setting, from what a file is judged by.

std::vector<Fastest> fastest_of(const Judge& judge, const Contrasts& contrasts);

// no_contrasts.cpp: Trials of a comparison that take part in no contrast, and why.

/// In the order of the plan; empty if the sweep compares nothing. Linear.
std::vector<NoContrast> no_contrasts(const Judge& judge, const std::vector<Contrast>& contrasts);

// outlook.cpp: The resolution of a comparison, and the cost of a finer one.

/// Sets `resolution` and, where that is above twice the margin (2 % at least), `outlook`. `needed_evidence`: what a
/// further discovery would need (R12).
void tell_resolution(Contrast& contrast, const Judge& judge, double needed_evidence);

// replicates.cpp: Contrasts of one pair of arms under several seeds, repeats or instances, joined into one: the
// replicates are its units (measuring.md R4).

/// Joins those of one pair of arms whose settings differ in replicate axes only, two at least, in the place of the
/// first. All others stay as they are.
std::vector<Contrast> with_replicates_joined(std::vector<Contrast> contrasts, const Judge& judge);

/// The options that a joined contrast is judged by.
stats::JudgeOptions replicate_options(const Judge& judge, const Contrast& contrast);

/// The first arm against the second under each seed that both have, at `alpha`; null stands for their baseline. Nothing
/// unless they have two in common.
std::optional<stats::Judgement> judge_joined(const Judge& judge, const Contrast* a, const Contrast* b, double alpha);

}  // namespace regatta::analysis
