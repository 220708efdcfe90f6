// How many scored slices something else disturbed, as far as the machine tells (docs/background/measuring-noise.md).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::analysis {

struct Disturbances {
  std::int64_t slices = 0;
  std::int64_t disturbed = 0;  ///< with at least one flag
  struct OfTrial {
    std::int64_t slices = 0;
    std::int64_t disturbed = 0;
    std::int64_t throttled = 0;
  };
  std::vector<OfTrial> by_trial;                              ///< a clone's slices with its baseline's
  std::vector<std::pair<std::string, std::int64_t>> by_kind;  ///< kinds that were seen, in the order of their bits

  [[nodiscard]] std::int64_t of(const std::string& kind) const;
};

/// Linear in the samples.
Disturbances disturbances_of(const results::Results& results);

}  // namespace regatta::analysis
