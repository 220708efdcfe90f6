// The processes of two arms, the n-th of one beside the n-th of the other: what differs between them is what processes
// differ by.
#pragma once

#include <cstdint>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"

namespace regatta::analysis {

struct ProcessPair {
  double log_ratio = 0;      ///< totals of a over those of b
  std::int64_t squares = 0;  ///< that both took part in
};

/// One for each n of which both arms have a process that share a square, in the order of time.
std::vector<ProcessPair> process_pairs(const std::vector<stats::SliceValue>& a,
                                       const std::vector<stats::SliceValue>& b);

}  // namespace regatta::analysis
