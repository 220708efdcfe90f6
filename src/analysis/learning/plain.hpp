// Configurations that were all trained under the same seeds, ranked.
#pragma once

#include "regatta/analysis/learning.hpp"

namespace regatta::analysis {

/// Fills ranking, leader and warnings; validation and diverged runs of each configuration stand there already.
void rank_plain(Learning& learning);

}  // namespace regatta::analysis
