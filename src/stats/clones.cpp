#include "regatta/stats/clones.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {

double absolute_p95(std::span<const double> log_ratios) {
  if (log_ratios.empty()) return 0;
  std::vector<double> sizes;
  for (const double value : log_ratios) sizes.push_back(std::abs(value));
  std::sort(sizes.begin(), sizes.end());
  const std::size_t rank = (rules::floor_percent * sizes.size() + 99) / 100;  // from 1, rounded up
  return sizes[rank - 1];
}

double noise_floor(std::span<const double> log_ratios) { return std::expm1(absolute_p95(log_ratios)); }

void CloneChecks::add(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      ++same;
      return;
    case Verdict::undecided:
      ++undecided;
      return;
    case Verdict::faster:
    case Verdict::slower:
      ++wrong;
  }
}

}  // namespace regatta::stats
