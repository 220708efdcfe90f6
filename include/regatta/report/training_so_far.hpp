// How far a training is, for who follows it.
#pragma once

#include <string>

#include "regatta/analysis/findings.hpp"
#include "regatta/analysis/training_so_far.hpp"
#include "regatta/report/terminal_options.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

/// Stage, cost, and a line with a curve for each one that is ahead. Findings are of these results and have learning.
std::string training_so_far(const results::Results& results, const analysis::Findings& findings,
                            const analysis::TrainingSoFar& so_far, const TerminalOptions& options);

/// The same as one JSON object without a line break (docs/reference/results.md).
std::string training_so_far_json(const results::Results& results, const analysis::Findings& findings,
                                 const analysis::TrainingSoFar& so_far);

}  // namespace regatta::report
