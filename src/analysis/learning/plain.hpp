// Configurations that were all trained under the same seeds, ranked.
#pragma once

#include "regatta/analysis/learning.hpp"

namespace regatta::analysis {

/// Validation and diverged runs of each configuration, the best first.
std::vector<Ranked> ranked_plain(const sweep::Sweep& sweep, const std::vector<results::TrialRow>& trials,
                                 const std::vector<results::LegRow>& legs);

/// Fills leader, places and warnings; the ranking stands there, as ranked_plain gives it.
void rank_plain(Learning& learning);

}  // namespace regatta::analysis
