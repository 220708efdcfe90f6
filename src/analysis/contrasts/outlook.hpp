// What an undecided contrast would take to be decided.
#pragma once

#include <optional>
#include <vector>

#include "analysis/judging/process_pairs.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

/// `block_seconds` is what measuring these pairs took, starts included. Nothing without a pair.
std::optional<Contrast::Outlook> outlook(const std::vector<ProcessPair>& pairs, double estimate,
                                         const stats::JudgeOptions& options, double block_seconds);

}  // namespace regatta::analysis
