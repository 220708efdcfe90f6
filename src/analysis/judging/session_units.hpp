// The values that compare each trial of a session, in the units that vary on their own: processes, or squares.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/judging/judging.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::analysis {

struct TrialUnits {
  std::vector<double> log_values;  ///< one for each process if there are at least 7, else for each square
  std::size_t processes = 0;
  bool of_processes = false;
  bool disturbed = false;            ///< some slices are flagged
  std::vector<double> block_starts;  ///< wall clock, of the blocks it was measured in
  double call_length_misfit = 0;     ///< log: how far its step time depends on the length of a call (R6)
  stats::Flags flags;                ///< flags of its blocks, device and pilots
};

/// One entry for each trial; clones do not count. `findings` are its blocks', where flags are wanted of them. Linear in
/// the samples.
std::vector<TrialUnits> session_units(const results::Results& results, const stats::JudgeOptions& options,
                                      const sweep::Measure& measure = {},
                                      const std::vector<BlockFindings>& findings = {});

}  // namespace regatta::analysis
