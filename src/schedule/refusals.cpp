#include "schedule/refusals.hpp"

#include <algorithm>
#include <string>

#include "schedule/grants.hpp"

namespace regatta::schedule {
namespace {

std::string plural(std::int64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

bool offers(const AgentKind& kind, sweep::DeviceKind device) {
  return std::find(kind.devices.begin(), kind.devices.end(), device) != kind.devices.end();
}

std::string refusal_reason(const Core& core, const DemandQueue& queue) {
  const sweep::Demand& demand = queue.demand;
  const std::string device = sweep::to_string(demand.device);
  std::int64_t largest = 0;
  for (const AgentKind& kind : core.kinds) {
    if (offers(kind, demand.device)) largest = std::max(largest, kind.cores);
  }
  if (largest == 0) {
    return "needs a " + device + " device; no slot of this job has one; run it where there is one, or leave `" +
           device + "` out of the axis `device`";
  }
  if (largest < demand.cores) {
    return "needs " + plural(demand.cores, "core") + " on one slot; the largest slot of this job has " +
           std::to_string(largest) + "; start with fewer ranks per host or lower `threads`";
  }
  return "needs " + plural(demand.ranks, "rank") + " of " + plural(demand.cores, "core") + " at once; this job has " +
         plural(queue.capable_ever, "slot") + " of that size; start with more ranks or lower `ranks`";
}

}  // namespace

void refuse_what_nobody_can_hold(Core& core) {
  if (core.refused || core.drained || !all_joined(core)) return;
  core.refused = true;
  for (DemandQueue& queue : core.queues) {
    if (queue.waiting == 0 || queue.capable_ever >= static_cast<std::uint64_t>(queue.demand.ranks)) continue;
    const std::string reason = refusal_reason(core, queue);
    while (queue.waiting > 0) {
      const BlockIndex block = take(queue, 1).first;
      --core.waiting;
      conclude(core, block);
      core.actions.emplace_back(Refuse{block, reason});
    }
  }
}

}  // namespace regatta::schedule
