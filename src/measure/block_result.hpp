// What a block tells of itself: after a visit what is new, and at its end.
#pragma once

#include <cstdint>

#include "regatta/measure/block_outcome.hpp"
#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// How much of a block was told before: its samples are numbered from there.
struct ToldOf {
  std::uint32_t slices = 0;
  std::uint16_t squares = 0;
};

/// All that is known of the arms by now, and the samples that were not told yet.
protocol::BlockResult result_of(const BlockRun& run, ToldOf& told);

/// How a death ends the attempt.
protocol::AttemptFailed failure_of(const BlockRun& run, const ArmDied& died);

}  // namespace regatta::measure
