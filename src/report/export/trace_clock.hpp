// Samples are stamped with a host's steady clock, blocks with its wall clock: what lies between the two.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace regatta::report {

struct BlockTimes {
  std::int32_t host = -1;
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  double first_seconds = std::numeric_limits<double>::infinity();  ///< steady clock at its first sample
  double last_seconds = -std::numeric_limits<double>::infinity();  ///< the same clock at the end of its last sample
};

/// For each block the offset from steady seconds to wall seconds. The samples of a block lie between its start and
/// its end, which bounds the offset; blocks of one host share it as long as one value fits all (a restart of the
/// machine or a step of its wall clock begins anew). The largest value that fits is taken: a block ends soon after its
/// last sample, but begins long before its first. 0 for a block without samples.
std::vector<double> offsets_of(const std::vector<BlockTimes>& blocks);

}  // namespace regatta::report
