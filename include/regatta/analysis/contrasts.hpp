// Verdicts on the arms of each block, from the recorded samples alone (measuring.md).
#pragma once

#include <vector>

#include "regatta/analysis/contrast.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

Contrasts contrasts(const results::Results& results);

/// As rows of the result file.
std::vector<results::ContrastRow> contrast_rows(const Contrasts& contrasts);

}  // namespace regatta::analysis
