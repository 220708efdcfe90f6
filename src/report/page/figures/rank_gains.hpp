// How many times as fast several ranks are as one.
#pragma once

#include <string>

#include "regatta/analysis/rank_scaling.hpp"

namespace regatta::report {

/// Legend and drawing: speed-ups with their intervals against the number of ranks, a line for each number of shards,
/// beside the ideal. Of a group that was judged.
std::string rank_gains(const analysis::RankScaling& group);

}  // namespace regatta::report
