// The words that answer whether more ranks pay.
#pragma once

#include "regatta/analysis/rank_scaling.hpp"

namespace regatta::analysis {

/// Fills `answer` and `reason`.
void tell(RankScaling& group);

}  // namespace regatta::analysis
