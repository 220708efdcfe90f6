// What the unscored slices before a comparison say about an arm: whether its time is a line in the number of steps, and
// whether it reaches a steady state (measuring.md, R6 and R7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

inline constexpr std::string_view depends_on_call_length = "depends on call length";

/// Flags of each arm of a block, comma separated: "depends on call length", "slow-down", "no steady state".
using BlockFindings = std::vector<std::string>;

/// One entry for each block; linear in the samples.
std::vector<BlockFindings> pilot_findings(const results::Results& results, const stats::JudgeOptions& options);

}  // namespace regatta::analysis
