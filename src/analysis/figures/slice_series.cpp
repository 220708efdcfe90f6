#include "regatta/analysis/slice_series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "regatta/stats/summaries.hpp"

namespace regatta::analysis {
namespace {

constexpr double least_gap_of_modes = 0.01;  // log: closer clusters are no two speeds

/// The sums of a slice's samples; the first step of a process and re-entries are left out.
struct Slice {
  std::uint32_t arm = 0;
  bool is_scored = false;
  std::uint8_t flags = 0;
  double seconds = 0;
  double steps = 0;
};
using Slices = std::map<std::uint32_t, Slice>;  ///< by number, which counts in the order of time

void take(Slices& slices, const stats::Sample& sample) {
  const bool is_scored = sample.phase == stats::Phase::steady;
  if (sample.rank != 0 || sample.steps == 0 || (!is_scored && sample.phase != stats::Phase::warmup)) return;
  Slice& slice = slices[sample.slice];
  slice.arm = sample.arm;
  slice.is_scored = is_scored;
  slice.flags |= sample.flags;
  slice.seconds += sample.seconds;
  slice.steps += sample.steps;
}

void summarise(ArmSeries& arm) {
  std::vector<double> scored;
  std::vector<double> all;
  for (const SlicePoint& point : arm.points) {
    if (!(point.step_seconds > 0)) continue;
    all.push_back(std::log(point.step_seconds));
    if (point.is_scored) scored.push_back(all.back());
  }
  arm.median_seconds = std::exp(stats::median(scored.empty() ? std::move(all) : scored));
  arm.modes = stats::find_modes(std::move(scored), least_gap_of_modes);
}

BlockSeries series_of(const results::Results& results, BlockIndex index, const Slices& slices) {
  const results::BlockRow& block = results.blocks[index.value];
  BlockSeries series{index, 0, {}};
  std::vector<ArmSeries> arms(block.arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    arms[i].trial = block.arms[i];
    arms[i].is_clone = block.has_clone && i + 1 == arms.size();
  }
  for (const auto& [number, slice] : slices) {
    if (slice.arm >= arms.size()) continue;
    arms[slice.arm].points.push_back({series.places++, slice.seconds / slice.steps, slice.is_scored, slice.flags});
  }
  for (ArmSeries& arm : arms) {
    if (arm.points.empty()) continue;
    summarise(arm);
    series.arms.push_back(std::move(arm));
  }
  return series;
}

}  // namespace

std::vector<BlockSeries> slice_series(const results::Results& results, const std::vector<BlockIndex>& blocks) {
  std::unordered_map<BlockIndex, Slices> wanted;
  for (const BlockIndex block : blocks) wanted.try_emplace(block);
  for (const auto& row : results.samples) {
    const auto found = wanted.find(row.block);
    if (found != wanted.end()) take(found->second, row.sample);
  }
  std::vector<BlockSeries> all;
  for (const BlockIndex block : blocks) {
    if (auto series = series_of(results, block, wanted.at(block)); !series.arms.empty())
      all.push_back(std::move(series));
  }
  return all;
}

double middle_of(std::vector<double> values) { return stats::median(std::move(values)); }

std::optional<double> quantile_of(std::vector<double> values, double q) {
  return stats::quantile(std::move(values), q);
}

}  // namespace regatta::analysis
