// Every slice of a block in the order of time: what shows that a series rises, jumps or clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/stats/modes.hpp"

namespace regatta::analysis {

struct SlicePoint {
  std::uint32_t place = 0;  ///< among the slices of its block, all arms together, from 0
  double step_seconds = 0;
  bool is_scored = true;   ///< else it belongs to the pilot
  std::uint8_t flags = 0;  ///< disturbance flags
};

struct ArmSeries {
  TrialIndex trial;
  bool is_clone = false;
  std::vector<SlicePoint> points;  ///< in the order of time
  double median_seconds = 0;       ///< median of the scored points, or of all if none is scored
  std::vector<stats::Mode> modes;  ///< clusters of the scored points, log seconds; usually one
};

struct BlockSeries {
  BlockIndex block;
  std::uint32_t places = 0;
  std::vector<ArmSeries> arms;  ///< arms that have a point
};

/// One entry for each of `blocks` that has a slice. Linear in the samples.
std::vector<BlockSeries> slice_series(const results::Results& results, const std::vector<BlockIndex>& blocks);

/// The median and a quantile, which scale and describe a picture of slices. NaN and nothing without values.
double middle_of(std::vector<double> values);
std::optional<double> quantile_of(std::vector<double> values, double q);

}  // namespace regatta::analysis
