// Who is shown to be no choice: another one is better in something and as good in everything else.
#pragma once

#include "regatta/analysis/learning.hpp"

namespace regatta::analysis {

/// Fills Ranked::dominated_by, by intervals and never by points: quality within the margin, seconds of training and
/// peak memory within 5 %.
void tell_dominated(Learning& learning);

}  // namespace regatta::analysis
