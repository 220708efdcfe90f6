// Coarser samples where a long measurement would fill memory and file.
#pragma once

#include <vector>

#include "regatta/stats/samples.hpp"

namespace regatta::stats {

/// Joins neighbours of the same slice, arm, rank and phase in pairs: about half as many samples, the same totals,
/// `steps` tells the new resolution. Flags are united. `first` samples stay as they are.
void join_neighbours(std::vector<Sample>& samples);

}  // namespace regatta::stats
