#include "regatta/sweep/budget.hpp"

#include <algorithm>

namespace regatta::sweep {

double wanted_seconds(const Sweep& sweep, const Block& block) {
  const double contrasts = block.has_baseline ? static_cast<double>(block.arms.size() - 1) : 1;
  return sweep.measure.per_contrast_seconds * std::max(contrasts, 1.0);
}

double block_budget_seconds(const Sweep& sweep, const Block& block, std::size_t sharing_arms) {
  const double wanted = wanted_seconds(sweep, block);
  if (!sweep.measure.total_seconds) return wanted;
  return std::min(wanted, *sweep.measure.total_seconds * static_cast<double>(block.arms.size()) /
                              static_cast<double>(sharing_arms));
}

bool takes_passes(const Sweep& sweep) {
  // Nothing is best or undecided that is not compared.
  return sweep.compare && (sweep.measure.again || sweep.measure.total_seconds);
}

}  // namespace regatta::sweep
