// Samples condensed to what contrasts are made of: one value for each slice.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// The scored slices of one trial in one block, in order of time.
struct ArmValues {
  std::vector<double> seconds_per_step;  ///< elapsed / steps of each slice, stalls included (measuring.md, R1)
  bool disturbed = false;                ///< some sample carries a flag
};

/// By (block, trial); linear in the samples.
class SliceValues {
 public:
  explicit SliceValues(const std::vector<results::SampleRow>& samples);
  /// Empty values if nothing was scored.
  [[nodiscard]] const ArmValues& of(BlockIndex block, TrialIndex trial) const;

 private:
  static std::uint64_t key(BlockIndex block, TrialIndex trial) {
    return std::uint64_t{block.value} << 32 | trial.value;
  }
  std::unordered_map<std::uint64_t, ArmValues> values_;
};

}  // namespace regatta::analysis
