// Verdicts on the arms of each block, from the recorded samples alone (measuring.md).
#pragma once

#include "regatta/analysis/contrast.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

Contrasts contrasts(const results::Results& results);

}  // namespace regatta::analysis
