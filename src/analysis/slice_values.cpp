#include "analysis/slice_values.hpp"

#include <map>

namespace regatta::analysis {
namespace {

struct Totals {
  double seconds = 0;
  double steps = 0;
};

}  // namespace

SliceValues::SliceValues(const std::vector<results::SampleRow>& samples) {
  std::unordered_map<std::uint64_t, std::map<std::uint32_t, Totals>> slices;  // ordered by slice number
  for (const auto& row : samples) {
    if (row.sample.phase != stats::Phase::steady) continue;
    Totals& totals = slices[key(row.block, row.trial)][row.sample.slice];
    totals.seconds += row.sample.seconds;
    totals.steps += row.sample.steps;
    if (row.sample.flags != 0) values_[key(row.block, row.trial)].disturbed = true;
  }
  for (const auto& [arm, by_slice] : slices) {
    auto& values = values_[arm].seconds_per_step;
    values.reserve(by_slice.size());
    for (const auto& [slice, totals] : by_slice) {
      if (totals.steps > 0) values.push_back(totals.seconds / totals.steps);
    }
  }
}

const ArmValues& SliceValues::of(BlockIndex block, TrialIndex trial) const {
  static const ArmValues nothing;
  const auto found = values_.find(key(block, trial));
  return found == values_.end() ? nothing : found->second;
}

}  // namespace regatta::analysis
