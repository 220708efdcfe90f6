// How much was trained, and on what.
#pragma once

#include "regatta/analysis/learning.hpp"

namespace regatta::analysis {

Tally tally_of(const results::Results& results);

/// As the first leg says that knows them.
Parts parts_of(const std::vector<results::LegRow>& legs);

std::vector<LegFailure> failures_of(const std::vector<results::LegRow>& legs);

}  // namespace regatta::analysis
