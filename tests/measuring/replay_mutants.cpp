#include "measuring/replay_mutants.hpp"

#include <algorithm>
#include <map>

#include "regatta/stats/summaries.hpp"

namespace regatta::measuring {

using stats::SliceValue;

stats::Range bootstrap_interval(const std::vector<double>& values, Random& random) {
  constexpr std::size_t resamples = 200;
  std::vector<double> medians(resamples);
  std::vector<double> resample(values.size());
  for (double& each : medians) {
    for (double& value : resample) value = values[random.bits() % values.size()];
    each = stats::median(resample);
  }
  return {*stats::quantile(medians, 0.025), *stats::quantile(medians, 0.975)};
}

stats::ContrastSlices without_flagged(const stats::ContrastSlices& slices) {
  std::map<std::uint32_t, std::vector<SliceValue>> clean_b;
  for (const SliceValue& slice : slices.b) {
    if (slice.flags == 0) clean_b[slice.square].push_back(slice);
  }
  stats::ContrastSlices kept;
  for (SliceValue slice : slices.a) {
    auto& partners = clean_b[slice.square];
    if (slice.flags != 0 || partners.empty()) continue;
    slice.position = 0;
    partners.back().position = 0;
    kept.a.push_back(slice);
    kept.b.push_back(partners.back());
    partners.pop_back();
  }
  return kept;
}

stats::ContrastSlices with_a_process_a_square(stats::ContrastSlices slices) {
  for (auto* arm : {&slices.a, &slices.b})
    for (SliceValue& slice : *arm) slice.process = slice.square;
  return slices;
}

}  // namespace regatta::measuring
