#include "schedule/groups.hpp"

#include <algorithm>

#include "schedule/schedule.hpp"
#include "schedule/times.hpp"

namespace regatta::schedule {
namespace {

std::size_t size_wanted(Core& core, const Gathering& gathering) {
  return static_cast<std::size_t>(queue_of(core, gathering.demand_class).demand.ranks);
}

std::vector<GatheringIndex>& unfilled_like(Core& core, const Gathering& gathering) {
  return gathering.node ? core.nodes[gathering.node->value].unfilled : core.unfilled;
}

/// They ask again at the end of the event.
void set_free(Core& core, const std::vector<AgentId>& agents) {
  for (AgentId id : agents) {
    agent_of(core, id).duty = Duty::free;
    core.askers.push_back(id);
  }
}

void start_if_ready(Core& core, GatheringIndex index) {
  Gathering& gathering = core.gatherings.at(index);
  if (gathering.busy > 0 || gathering.agents.size() < size_wanted(core, gathering)) return;
  std::vector<AgentId> agents = std::move(gathering.agents);
  const ClassIndex demand_class = gathering.demand_class;
  DemandQueue& queue = queue_of(core, demand_class);
  core.gatherings.erase(index);
  --queue.gatherings;
  const auto place = place_before_end(core, queue, core.now_seconds);
  if (!place) return set_free(core, agents);  // it took too long to gather them
  std::sort(agents.begin(), agents.end());
  grant_group(core, demand_class, std::move(agents), *place);
}

void reserve(Core& core, GatheringIndex index, AgentId id) {
  Gathering& gathering = core.gatherings.at(index);
  AgentState& agent = agent_of(core, id);
  agent.duty = Duty::reserved;
  agent.gathering = index;
  gathering.agents.push_back(id);
  if (!agent.held.empty()) ++gathering.busy;
  if (gathering.agents.size() == size_wanted(core, gathering)) std::erase(unfilled_like(core, gathering), index);
  start_if_ready(core, index);
}

bool may_join(const Core& core, const Gathering& gathering, AgentId id) {
  const AgentState& agent = core.agents[id.value];
  if (gathering.node && *gathering.node != agent.node) return false;
  const AgentKind& kind = core.kinds[agent.kind.value];
  return fits(kind.cores, kind.devices, core.queues[gathering.demand_class.value].demand);
}

/// Idle agents of any node that can hold its block, until it has enough.
void reserve_idle(Core& core, GatheringIndex index) {
  const sweep::Demand& demand = queue_of(core, core.gatherings.at(index).demand_class).demand;
  for (AgentKind& kind : core.kinds) {
    if (!fits(kind.cores, kind.devices, demand)) continue;
    while (!kind.idle.empty() && !core.unfilled.empty() && core.unfilled.back() == index)
      reserve(core, index, kind.idle.extract(kind.idle.begin()).value());
  }
}

/// The same of one node, whose agents are fewer than those of the job.
void reserve_idle_of(Core& core, NodeIndex node, GatheringIndex index) {
  const std::vector<GatheringIndex>& unfilled = core.nodes[node.value].unfilled;
  for (AgentId id : core.nodes[node.value].agents) {
    if (unfilled.empty() || unfilled.back() != index) return;
    const AgentState& agent = agent_of(core, id);
    const bool may_be_idle = agent.duty == Duty::free && agent.held.empty();
    if (!may_be_idle || !may_join(core, core.gatherings.at(index), id)) continue;
    if (core.kinds[agent.kind.value].idle.erase(id) > 0) reserve(core, index, id);
  }
}

}  // namespace

bool join_gathering(Core& core, AgentId id) {
  const auto joins = [&](GatheringIndex index) { return may_join(core, core.gatherings.at(index), id); };
  const std::vector<GatheringIndex>& of_node = core.nodes[agent_of(core, id).node.value].unfilled;
  const auto any = std::ranges::find_if(core.unfilled, joins);
  const auto own = std::ranges::find_if(of_node, joins);
  if (any == core.unfilled.end() && own == of_node.end()) return false;
  const bool is_own_older = any == core.unfilled.end() || (own != of_node.end() && *own < *any);
  reserve(core, is_own_older ? *own : *any, id);
  return true;
}

void open_gathering(Core& core, ClassIndex demand_class, AgentId first) {
  const GatheringIndex index{++core.gatherings_opened};
  Gathering& gathering = core.gatherings[index];
  gathering.demand_class = demand_class;
  gathering.node = node_for(core, demand_class, agent_of(core, first));
  unfilled_like(core, gathering).push_back(index);
  ++queue_of(core, demand_class).gatherings;
  const std::optional<NodeIndex> node = gathering.node;
  reserve(core, index, first);
  if (node)
    reserve_idle_of(core, *node, index);
  else
    reserve_idle(core, index);
}

void gather_idle(Core& core, ClassIndex demand_class) {
  const DemandQueue& queue = queue_of(core, demand_class);
  for (AgentKind& kind : core.kinds) {
    if (!fits(kind.cores, kind.devices, queue.demand)) continue;
    for (;;) {
      if (core.drained || unclaimed(queue) == 0) return;
      const auto opens = [&](AgentId id) { return may_gather(core, queue, demand_class, agent_of(core, id)); };
      const auto first = std::ranges::find_if(kind.idle, opens);
      if (first == kind.idle.end()) break;
      const AgentId id = *first;
      kind.idle.erase(first);
      open_gathering(core, demand_class, id);
    }
  }
}

std::optional<double> ready_at_seconds(const Core& core, GatheringIndex index) {
  const Gathering& gathering = core.gatherings.at(index);
  double ready = core.now_seconds;
  for (AgentId id : gathering.agents) ready = std::max(ready, core.agents[id.value].free_at_seconds);
  const std::size_t missing =
      static_cast<std::size_t>(core.queues[gathering.demand_class.value].demand.ranks) - gathering.agents.size();
  if (missing == 0) return ready;
  if (!gathering.node) return std::nullopt;  // any agent of the job may be next
  std::vector<double> free;
  for (AgentId id : core.nodes[gathering.node->value].agents) {
    if (core.agents[id.value].duty == Duty::free && may_join(core, gathering, id))
      free.push_back(core.agents[id.value].free_at_seconds);
  }
  if (free.size() < missing) return std::nullopt;
  std::ranges::nth_element(free, free.begin() + static_cast<std::ptrdiff_t>(missing - 1));
  return std::max(ready, free[missing - 1]);
}

void occupy_again(Core& core, AgentId id) { ++core.gatherings.at(agent_of(core, id).gathering).busy; }

void arrived(Core& core, AgentId id) {
  const GatheringIndex index = agent_of(core, id).gathering;
  --core.gatherings.at(index).busy;
  start_if_ready(core, index);
}

void dissolve_gatherings(Core& core) {
  core.idle_may_have_work |= !core.gatherings.empty();
  for (const auto& [index, gathering] : core.gatherings) {
    --queue_of(core, gathering.demand_class).gatherings;
    set_free(core, gathering.agents);
  }
  core.gatherings.clear();
  core.unfilled.clear();
  for (NodeState& node : core.nodes) node.unfilled.clear();
}

}  // namespace regatta::schedule
