// How pairs of processes scattered in a file of results: what later comparisons begin with (measuring.md R5).
#pragma once

#include "regatta/results/tables.hpp"
#include "regatta/stats/pair_spreads.hpp"

namespace regatta::analysis {

/// By classes of processes (sweep/process_class.hpp), all devices together. Linear in the samples.
stats::SpreadPool pair_spreads(const results::Results& results);

}  // namespace regatta::analysis
