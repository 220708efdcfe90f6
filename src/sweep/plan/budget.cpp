#include "regatta/sweep/budget.hpp"

#include <algorithm>

namespace regatta::sweep {

double wanted_seconds(const Sweep& sweep, const Block& block) {
  return wanted_seconds(sweep, block.has_baseline, block.arms.size());
}

double wanted_seconds(const Sweep& sweep, bool has_baseline, std::size_t arms) {
  const double contrasts = has_baseline ? static_cast<double>(arms - 1) : 1;
  return sweep.measure.per_contrast_seconds * std::max(contrasts, 1.0);
}

std::optional<double> wall_share_seconds(const Sweep& sweep, const Block& block, const Sharing& sharing) {
  const auto total = sweep.measure.total_seconds;
  if (!total) return std::nullopt;
  const double share = static_cast<double>(block.arms.size() * sharing.slots) / static_cast<double>(sharing.arms);
  return *total * std::min(1.0, share);
}

bool takes_passes(const Sweep& sweep) {
  // Nothing is best or undecided that is not compared.
  return sweep.compare && (sweep.measure.again || sweep.measure.total_seconds);
}

}  // namespace regatta::sweep
