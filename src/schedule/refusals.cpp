#include <algorithm>
#include <string>

#include "schedule/schedule.hpp"

namespace regatta::schedule {
namespace {

bool offers(const AgentKind& kind, sweep::DeviceKind device) {
  return std::find(kind.devices.begin(), kind.devices.end(), device) != kind.devices.end();
}

/// By an agent that is there, or was: its loss is no reason to skip a block.
bool is_offered(const Core& core, sweep::DeviceKind device) {
  return std::any_of(core.agents.begin(), core.agents.end(), [&](const AgentState& agent) {
    return agent.joined_before && offers(core.kinds[agent.kind.value], device);
  });
}

std::string reason_without(const Core& core, sweep::DeviceKind kind) {
  const auto lost = core.lost_devices.find(kind);
  if (lost != core.lost_devices.end()) return lost->second;
  return std::string("needs a ") + sweep::to_string(kind) + " device, and no slot of this job has one";
}

/// Cores of the largest slot that offers the device; 0 if none does.
std::int64_t largest_slot(const Core& core, sweep::DeviceKind device) {
  std::int64_t largest = 0;
  for (const AgentKind& kind : core.kinds) {
    if (offers(kind, device)) largest = std::max(largest, kind.cores);
  }
  return largest;
}

sweep::Skipped refusal(const Core& core, const DemandQueue& queue) {
  const sweep::Demand& demand = queue.demand;
  const std::int64_t largest = largest_slot(core, demand.device);
  if (largest < demand.cores) return sweep::too_few_cores(demand.cores, largest);
  return sweep::too_few_ranks(demand.ranks, demand.cores, static_cast<std::int64_t>(queue.capable_ever));
}

bool has_enough(const DemandQueue& queue) {
  return queue.capable_ever >= static_cast<std::uint64_t>(queue.demand.ranks);
}

/// Asks for less, if some of the arms need no more. The agent that gets the blocks skips the arms that are too large.
bool goes_on_with_less(Core& core, ClassIndex index) {
  DemandQueue& queue = queue_of(core, index);
  const std::int64_t largest = largest_slot(core, queue.demand.device);
  if (largest < queue.demand.cores) {
    if (queue.least_cores == 0 || largest < queue.least_cores) return false;
    queue.demand.cores = largest;
    count_capable(core, index);
  }
  if (!has_enough(queue)) {
    if (queue.least_ranks == 0 || queue.capable_ever < static_cast<std::uint64_t>(queue.least_ranks)) return false;
    queue.demand.ranks = queue.capable_ever;
    count_capable(core, index);
  }
  core.idle_may_have_work = true;
  return true;
}

}  // namespace

void go_on_without_devices(Core& core) {
  if (!all_joined(core)) return;
  for (std::uint32_t i = 0; i < core.queues.size(); ++i) {
    DemandQueue& queue = core.queues[i];
    if (queue.demand.device == sweep::DeviceKind::cpu || is_offered(core, queue.demand.device)) continue;
    queue.without_device = reason_without(core, queue.demand.device);
    queue.demand.device = sweep::DeviceKind::cpu;
    count_capable(core, {i});
    core.idle_may_have_work = true;
  }
}

void refuse_what_nobody_can_hold(Core& core) {
  if (core.refused || core.drained || !all_joined(core)) return;
  core.refused = true;
  for (std::uint32_t i = 0; i < core.queues.size(); ++i) {
    DemandQueue& queue = core.queues[i];
    if (queue.waiting == 0 || has_enough(queue) || goes_on_with_less(core, {i})) continue;
    const sweep::Skipped skip = refusal(core, queue);
    while (queue.waiting > 0) {
      const BlockIndex block = take(queue, 1).first;
      --core.waiting;
      conclude(core, block);
      core.actions.emplace_back(Refuse{block, skip});
    }
  }
}

}  // namespace regatta::schedule
