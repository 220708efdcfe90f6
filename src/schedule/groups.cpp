#include "schedule/groups.hpp"

#include <algorithm>

#include "schedule/agents.hpp"
#include "schedule/grants.hpp"

namespace regatta::schedule {
namespace {

std::size_t size_wanted(Core& core, const Gathering& gathering) {
  return static_cast<std::size_t>(queue_of(core, gathering.demand_class).demand.ranks);
}

void start_if_ready(Core& core, GatheringIndex index) {
  Gathering& gathering = core.gatherings.at(index);
  if (gathering.busy > 0 || gathering.agents.size() < size_wanted(core, gathering)) return;
  std::vector<AgentId> agents = std::move(gathering.agents);
  const ClassIndex demand_class = gathering.demand_class;
  core.gatherings.erase(index);
  --queue_of(core, demand_class).gatherings;
  std::sort(agents.begin(), agents.end());
  grant_group(core, demand_class, std::move(agents));
}

void reserve(Core& core, GatheringIndex index, AgentId id) {
  Gathering& gathering = core.gatherings.at(index);
  AgentState& agent = agent_of(core, id);
  agent.duty = Duty::reserved;
  agent.gathering = index;
  gathering.agents.push_back(id);
  if (!agent.held.empty()) ++gathering.busy;
  if (gathering.agents.size() == size_wanted(core, gathering)) std::erase(core.unfilled, index);
  start_if_ready(core, index);
}

}  // namespace

bool join_gathering(Core& core, AgentId id) {
  const AgentKind& kind = core.kinds[agent_of(core, id).kind.value];
  for (GatheringIndex index : core.unfilled) {
    if (fits(kind.cores, kind.devices, queue_of(core, core.gatherings.at(index).demand_class).demand)) {
      reserve(core, index, id);
      return true;
    }
  }
  return false;
}

void open_gathering(Core& core, ClassIndex demand_class, AgentId first) {
  const GatheringIndex index{++core.gatherings_opened};
  core.gatherings[index].demand_class = demand_class;
  core.unfilled.push_back(index);
  DemandQueue& queue = queue_of(core, demand_class);
  ++queue.gatherings;
  reserve(core, index, first);
  for (AgentKind& kind : core.kinds) {
    if (!fits(kind.cores, kind.devices, queue.demand)) continue;
    while (!kind.idle.empty() && !core.unfilled.empty() && core.unfilled.back() == index) {
      reserve(core, index, kind.idle.extract(kind.idle.begin()).value());
    }
  }
}

void arrived(Core& core, AgentId id) {
  const GatheringIndex index = agent_of(core, id).gathering;
  --core.gatherings.at(index).busy;
  start_if_ready(core, index);
}

void dissolve_gatherings(Core& core) {
  core.idle_may_have_work |= !core.gatherings.empty();
  for (const auto& [index, gathering] : core.gatherings) {
    --queue_of(core, gathering.demand_class).gatherings;
    for (AgentId id : gathering.agents) {
      agent_of(core, id).duty = Duty::free;
      core.askers.push_back(id);
    }
  }
  core.gatherings.clear();
  core.unfilled.clear();
}

}  // namespace regatta::schedule
