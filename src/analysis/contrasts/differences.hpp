// Contrasts of results that have no ratio, or whose margin is in their own unit: compared by difference (measuring.md
// R14).
#pragma once

#include <optional>
#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

/// What an arm of a block shows against its baseline; nothing where they have a ratio, or told no numbers.
std::optional<stats::JudgedDifferences> judge_by_difference(const Judge& judge, BlockIndex block, std::size_t arm);

/// The same over the replicates of a joined contrast, where one of these contrasts is a difference: each by the mean of
/// what its runs told.
std::optional<stats::JudgedDifferences> judge_by_difference(const Judge& judge, const std::vector<Contrast>& members,
                                                            const stats::JudgeOptions& options);

/// Sets the difference of a contrast that was judged so.
void tell_difference(Contrast& contrast, const stats::JudgedDifferences& judged);

}  // namespace regatta::analysis
