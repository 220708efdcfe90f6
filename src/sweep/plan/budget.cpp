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

std::size_t arms_of(const Plan& plan) {
  std::size_t arms = 0;
  for (const Block& block : plan.blocks) arms += block.arms.size();
  return arms;
}

double wall_share(const Block& block, const Sharing& sharing) {
  const double share = static_cast<double>(block.arms.size() * sharing.slots) / static_cast<double>(sharing.arms);
  return std::min(1.0, share);
}

std::optional<double> wall_share_seconds(const Sweep& sweep, const Block& block, const Sharing& sharing) {
  const auto total = sweep.measure.total_seconds;
  if (!total) return std::nullopt;
  return *total * wall_share(block, sharing);
}

double block_seconds(const SlotTime& slot, double share_seconds, double total_seconds) {
  const double to_come = std::max(share_seconds, total_seconds - slot.shared_seconds);
  return share_seconds + slot.unused_seconds * (to_come > 0 ? share_seconds / to_come : 1);
}

void note_block(SlotTime& slot, double share_seconds, double seconds) {
  slot.shared_seconds += share_seconds;
  slot.unused_seconds += share_seconds - seconds;
}

bool takes_passes(const Sweep& sweep) {
  // Nothing is best or undecided that is not compared.
  return sweep.compare && (sweep.measure.again || sweep.measure.total_seconds);
}

}  // namespace regatta::sweep
