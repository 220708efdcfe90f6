// Where the time of a step goes by number of ranks.
#pragma once

#include <string>

#include "regatta/analysis/rank_scaling.hpp"

namespace regatta::report {

/// Legend and a row for each cell: its mean step, divided where its worker tells of the exchange.
std::string rank_times(const analysis::RankScaling& group);

}  // namespace regatta::report
