// The scheduler alone: simulated agents of three kinds, 8 on a node, trials in blocks of 4 of several lengths, which
// are expected wrongly, a tenth of them for groups of 2 to 8 ranks, 2 % unexplained deaths, and a drain near the end.
// Longest first, and nothing that would not end in time.
#pragma once

#include <cstdint>

namespace regatta::launcher {

struct SchedulerLoad {
  std::uint32_t agents = 0;
  std::uint32_t trials = 0;
  std::uint64_t decisions = 0;  ///< grants, conclusions and dismissals
  double seconds = 0;           ///< in the scheduler
};

SchedulerLoad schedule_all(std::uint32_t agents, std::uint32_t trials);

}  // namespace regatta::launcher
