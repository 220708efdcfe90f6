#include "regatta/sweep/budget.hpp"

#include <algorithm>
#include <utility>

namespace regatta::sweep {
namespace {

double contrasts_of(bool has_baseline, std::size_t arms) {
  return has_baseline && arms > 1 ? static_cast<double>(arms - 1) : 1;
}

}  // namespace

double wanted_seconds(const Sweep& sweep, const Block& block) {
  if (block.leg) return 0;  // it is as long as its samples are
  return wanted_seconds(sweep, block.has_baseline, block.arms.size());
}

double wanted_seconds(const Sweep& sweep, bool has_baseline, std::size_t arms) {
  const Measure& measure = sweep.measure;
  const bool is_compared = has_baseline && arms > 1;
  if (is_compared && !measure.per_contrast_seconds && measure.total_seconds) return *measure.total_seconds;
  return contrasts_of(has_baseline, arms) * measure.per_contrast_seconds.value_or(usual_contrast_seconds);
}

double planning_seconds(const Sweep& sweep, const Block& block) {
  if (block.leg) return 0;
  const double contrasts = contrasts_of(block.has_baseline, block.arms.size());
  return contrasts * sweep.measure.per_contrast_seconds.value_or(usual_contrast_seconds);
}

TimeNeed need_of(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts) {
  const BlockCosts costs = guessed_costs_of(sweep, plan, block, starts);
  const double least = least_seconds(sweep.measure, costs, block.arms.size());
  return {least, std::max(least, forecast_of(sweep.measure, costs, block.arms.size()).seconds)};
}

TimeNeed& operator+=(TimeNeed& sum, const TimeNeed& other) {
  sum.least += other.least;
  sum.full += other.full;
  return sum;
}

TimeNeed need_of_slots(const Sweep& sweep, const Plan& plan, const Block& block, const Starts& starts) {
  const TimeNeed need = need_of(sweep, plan, block, starts);
  const auto slots = static_cast<double>(block.demand.ranks);
  return {slots * need.least, slots * need.full};
}

Sharing sharing_of(const Sweep& sweep, const Plan& plan, Starts starts, std::size_t slots) {
  Sharing sharing{{}, slots, std::move(starts)};
  if (!sweep.measure.total_seconds) return sharing;
  for (const Block& block : plan.blocks)
    if (!block.has_clone) sharing.all += need_of_slots(sweep, plan, block, sharing.starts);
  return sharing;
}

double share_seconds(const TimeNeed& block, const Sharing& sharing, double total_seconds) {
  const TimeNeed& all = sharing.all;
  if (all.full <= 0) return total_seconds;
  const double shared = total_seconds * static_cast<double>(sharing.slots);
  const double more = all.full - all.least;
  const double share = shared <= all.least || more <= 0
                           ? shared * block.least / all.least
                           : block.least + (shared - all.least) * (block.full - block.least) / more;
  return std::min(total_seconds, share);
}

std::optional<double> wall_share_seconds(const Sweep& sweep, const Plan& plan, const Block& block,
                                         const Sharing& sharing) {
  const auto total = sweep.measure.total_seconds;
  if (!total) return std::nullopt;
  return share_seconds(need_of(sweep, plan, block, sharing.starts), sharing, *total);
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
