// What the unscored slices before a comparison say about an arm: whether its time is a line in the number of steps, and
// whether it reaches a steady state (measuring.md, R6 and R7).
#pragma once

#include <optional>
#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/stats/call_lengths.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::analysis {

struct ArmFindings {
  std::optional<stats::CallLengths> calls;  ///< nothing if no pilot tried any
  stats::Flags state;                       ///< slow_down, no_steady_state, or none
};

using BlockFindings = std::vector<ArmFindings>;  ///< one entry for each arm

/// One entry for each block; linear in the samples.
std::vector<BlockFindings> pilot_findings(const results::Results& results, const stats::JudgeOptions& options);

/// Log, 0 where nothing was found.
double call_length_misfit(const ArmFindings& findings);

}  // namespace regatta::analysis
