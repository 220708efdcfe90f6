#include <algorithm>

#include "schedule/schedule.hpp"

namespace regatta::schedule {
namespace {

std::vector<sweep::DeviceKind> ascending(std::vector<sweep::DeviceKind> devices) {
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

KindIndex kind_of(Core& core, const Slot& slot) {
  std::vector<sweep::DeviceKind> devices = ascending(slot.devices);
  for (std::uint32_t i = 0; i < core.kinds.size(); ++i) {
    if (core.kinds[i].cores == slot.cores && core.kinds[i].devices == devices) return {i};
  }
  AgentKind kind{.cores = slot.cores, .devices = std::move(devices), .classes = {}, .idle = {}};
  for (std::uint32_t i = 0; i < core.queues.size(); ++i) {
    if (fits(kind.cores, kind.devices, core.queues[i].demand)) kind.classes.push_back({i});
  }
  core.kinds.push_back(std::move(kind));
  return {static_cast<std::uint32_t>(core.kinds.size() - 1)};
}

bool takes_work(Duty duty) { return duty == Duty::free || duty == Duty::reserved || duty == Duty::grouped; }

}  // namespace

bool fits(std::int64_t cores, const std::vector<sweep::DeviceKind>& devices, const sweep::Demand& demand) {
  return demand.cores <= cores && std::find(devices.begin(), devices.end(), demand.device) != devices.end();
}

bool is_present(const Core& core, AgentId id) {
  return id.value < core.agents.size() && core.agents[id.value].duty != Duty::absent;
}

void enrol(Core& core, const Slot& slot) {
  if (slot.agent.value >= core.agents.size()) core.agents.resize(slot.agent.value + 1);
  const KindIndex kind = kind_of(core, slot);
  AgentState& agent = agent_of(core, slot.agent);
  const bool first_time = !agent.joined_before;
  agent = {.duty = Duty::free, .joined_before = true, .kind = kind, .gathering = {}, .held = {}, .node = slot.node};
  if (slot.node.value >= core.nodes.size()) core.nodes.resize(slot.node.value + 1);
  core.nodes[slot.node.value].capable.resize(core.queues.size());
  if (first_time) core.nodes[slot.node.value].agents.push_back(slot.agent);
  for (ClassIndex index : core.kinds[kind.value].classes) {
    count_on_node(core, slot.node, index, 1);
    if (first_time) ++queue_of(core, index).capable_ever;
  }
  if (first_time) ++core.joined;
  ++core.on_duty;
}

void retire(Core& core, AgentId id, Duty duty) {
  AgentState& agent = agent_of(core, id);
  if (takes_work(agent.duty)) {
    core.kinds[agent.kind.value].idle.erase(id);
    for (ClassIndex index : core.kinds[agent.kind.value].classes) count_on_node(core, agent.node, index, -1);
  }
  const auto counts = [](Duty d) { return d != Duty::absent && d != Duty::dismissed; };
  if (counts(agent.duty) && !counts(duty)) --core.on_duty;
  agent.duty = duty;
}

void forget_device(Core& core, AgentId id, sweep::DeviceKind device) {
  AgentState& agent = agent_of(core, id);
  const AgentKind& before = core.kinds[agent.kind.value];
  if (std::find(before.devices.begin(), before.devices.end(), device) == before.devices.end()) return;
  core.kinds[agent.kind.value].idle.erase(id);
  Slot slot{id, before.cores, before.devices};
  std::erase(slot.devices, device);
  const std::vector<ClassIndex> classes = before.classes;
  agent.kind = kind_of(core, slot);
  for (ClassIndex index : classes) {
    if (fits(slot.cores, slot.devices, queue_of(core, index).demand)) continue;
    --queue_of(core, index).capable_ever;
    if (takes_work(agent.duty)) count_on_node(core, agent.node, index, -1);
  }
}

void count_capable(Core& core, ClassIndex demand_class) {
  DemandQueue& queue = queue_of(core, demand_class);
  queue.capable = queue.capable_ever = queue.wide_nodes = 0;
  for (NodeState& node : core.nodes) node.capable[demand_class.value] = 0;
  for (AgentKind& kind : core.kinds) {
    std::erase(kind.classes, demand_class);
    if (fits(kind.cores, kind.devices, queue.demand)) kind.classes.push_back(demand_class);
  }
  for (const AgentState& agent : core.agents) {
    const AgentKind& kind = core.kinds[agent.kind.value];
    if (!agent.joined_before || !fits(kind.cores, kind.devices, queue.demand)) continue;
    ++queue.capable_ever;
    if (takes_work(agent.duty)) count_on_node(core, agent.node, demand_class, 1);
  }
}

}  // namespace regatta::schedule
