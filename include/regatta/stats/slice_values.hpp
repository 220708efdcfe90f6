// From the samples of a block to the slice values of its arms: what verdicts are judged by, while a block is
// measured and when its file is read again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "regatta/stats/contrast_slices.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::stats {

/// How samples of an arm are to be read.
struct ArmReading {
  double work_per_step = 1;         ///< samples of a step where arms differ in batch, else 1
  bool process_per_square = false;  ///< programs that end with each step: every square is a replicate
  double quantile = 0;              ///< the quantile of single calls that is compared; 0: time per work is
  std::int64_t steps_per_call = 1;
  std::int64_t steps_from_start = 0;  ///< where cold starts count: after how many steps; 0: they do not
};

/// Values that processes gave one by one, in the order of time: each stands for a square of its own.
std::vector<SliceValue> process_values(std::span<const double> values);

/// The scored slices of each arm in the order of time; `arms.size()` lists. A `first` sample marks a fresh process
/// of its arm. Samples of other ranks than 0 are left out. Where cold starts count each fresh process gives one value
/// in place of its slices: its cold start and so many of its steps.
std::vector<std::vector<SliceValue>> slice_values(std::span<const Sample> block, std::span<const ArmReading> arms);

}  // namespace regatta::stats
