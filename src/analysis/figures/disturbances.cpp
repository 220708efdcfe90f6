#include "regatta/analysis/disturbances.hpp"

#include <algorithm>
#include <array>

#include "regatta/stats/disturbance_flags.hpp"

namespace regatta::analysis {
namespace {

/// Samples of one slice stand together.
bool same_slice(const results::SampleRow& x, const results::SampleRow& y) {
  return x.block == y.block && x.sample.arm == y.sample.arm && x.sample.slice == y.sample.slice;
}

}  // namespace

std::int64_t Disturbances::of(const std::string& kind) const {
  const auto found = std::ranges::find(by_kind, kind, [](const auto& each) { return each.first; });
  return found == by_kind.end() ? 0 : found->second;
}

Disturbances disturbances_of(const results::Results& results) {
  Disturbances found;
  found.by_trial.resize(results.trials.size());
  std::array<std::int64_t, stats::disturbance_names.size()> counts{};
  const results::SampleRow* last = nullptr;
  unsigned flags = 0;
  const auto close = [&] {
    if (last == nullptr) return;
    ++found.slices;
    found.disturbed += flags != 0 ? 1 : 0;
    auto& of_trial = found.by_trial.at(last->trial.value);
    ++of_trial.slices;
    of_trial.disturbed += flags != 0 ? 1 : 0;
    of_trial.throttled += (flags & stats::throttled) != 0 ? 1 : 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] += (flags & stats::disturbance_names[i].flag) != 0 ? 1 : 0;
    flags = 0;
  };
  for (const auto& row : results.samples) {
    if (row.sample.phase != stats::Phase::steady) continue;
    if (last != nullptr && !same_slice(*last, row)) close();
    last = &row;
    flags |= row.sample.flags;
  }
  close();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) found.by_kind.emplace_back(stats::disturbance_names[i].name, counts[i]);
  }
  return found;
}

}  // namespace regatta::analysis
