#include "schedule/grants.hpp"

#include <utility>
#include <vector>

#include "schedule/attempts.hpp"

namespace regatta::schedule {
namespace {

void hold(Core& core, BlockIndex index, AgentId owner, AttemptId attempt) {
  BlockState& block = block_of(core, index);
  block.phase = Phase::granted;
  block.owner = owner;
  block.attempt = attempt;
  --core.waiting;
  ++core.running;
}

/// Drops its arms that died on the device which nobody has any more, and concludes it where no other is left.
bool ends_without_device(Core& core, BlockIndex index) {
  drop_arms_of_device(core, index);
  std::vector<std::pair<ArmIndex, Cause>> dropped = dropped_arms(core, index);
  if (dropped.size() < block_of(core, index).arms) return false;
  --core.waiting;
  core.actions.emplace_back(Conclude{index, block_of(core, index).attempt, std::move(dropped)});
  conclude(core, index);
  return true;
}

}  // namespace

void grant_range(Core& core, ClassIndex demand_class, AgentId id, std::uint32_t at_most) {
  DemandQueue& queue = queue_of(core, demand_class);
  const BlockRange range = take(queue, at_most);
  // Fresh blocks were never granted, and others come one at a time: a range has one attempt.
  const AttemptId attempt{block_of(core, range.first).attempt.value + 1};
  if (!queue.without_device.empty() && ends_without_device(core, range.first)) return;
  std::vector<BlockIndex>& held = agent_of(core, id).held;
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const BlockIndex index{range.first.value + i};
    hold(core, index, id, attempt);
    block_of(core, index).place = static_cast<std::uint32_t>(held.size());
    held.push_back(index);
  }
  core.actions.emplace_back(
      Grant{{id}, range.first, range.count, attempt, dropped_arms(core, range.first), queue.without_device});
}

void grant_group(Core& core, ClassIndex demand_class, std::vector<AgentId> agents) {
  const BlockIndex index = take(queue_of(core, demand_class), 1).first;
  const AttemptId attempt{block_of(core, index).attempt.value + 1};
  hold(core, index, agents.front(), attempt);
  for (AgentId id : agents) {
    agent_of(core, id).duty = Duty::grouped;
    agent_of(core, id).held = {index};
  }
  const std::string& without_device = queue_of(core, demand_class).without_device;
  if (!without_device.empty()) drop_arms_of_device(core, index);
  core.actions.emplace_back(Grant{agents, index, 1, attempt, dropped_arms(core, index), without_device});
  core.groups[index] = std::move(agents);
}

void drop_held(Core& core, BlockIndex index) {
  const BlockState& block = block_of(core, index);
  std::vector<BlockIndex>& held = agent_of(core, block.owner).held;
  held[block.place] = held.back();
  block_of(core, held[block.place]).place = block.place;
  held.pop_back();
}

void return_to_queue(Core& core, BlockIndex index) {
  BlockState& block = block_of(core, index);
  block.phase = Phase::waiting;
  push_repeat(queue_of(core, block.demand_class), index);
  ++core.waiting;
  core.idle_may_have_work = true;
}

void conclude(Core& core, BlockIndex index) {
  block_of(core, index).phase = Phase::concluded;
  core.deaths.erase(index);
  ++core.concluded;
}

}  // namespace regatta::schedule
