// A run from its first session to its last, with all that goes wrong on the way: one seed.
#pragma once

#include <cstdint>

namespace regatta::simulation {

/// Counts of events, so that a test can tell that everything was tried.
struct Life {
  int sessions = 0;
  int crashes = 0;
  int lost_agents = 0;  ///< each of them ended the job
  int drains = 0;
  int failed_disks = 0;
};

/// Throws Violation.
Life live(std::uint64_t seed);

}  // namespace regatta::simulation
