#include "schedule/schedule.hpp"

namespace regatta::schedule {
namespace {

bool is_wide(const DemandQueue& queue, std::uint32_t capable) {
  return capable >= static_cast<std::uint64_t>(queue.demand.ranks);
}

bool is_wide(const Core& core, ClassIndex demand_class, NodeIndex node) {
  return is_wide(core.queues[demand_class.value], core.nodes[node.value].capable[demand_class.value]);
}

}  // namespace

void count_on_node(Core& core, NodeIndex node, ClassIndex demand_class, int change) {
  DemandQueue& queue = queue_of(core, demand_class);
  std::uint32_t& capable = core.nodes[node.value].capable[demand_class.value];
  const bool was_wide = is_wide(queue, capable);
  capable += static_cast<std::uint32_t>(change);
  queue.capable += static_cast<std::uint32_t>(change);
  if (is_wide(queue, capable) == was_wide) return;
  queue.wide_nodes += was_wide ? static_cast<std::uint32_t>(-1) : 1;
}

bool may_gather(const Core& core, const DemandQueue& queue, ClassIndex demand_class, const AgentState& agent) {
  if (queue.capable < static_cast<std::uint64_t>(queue.demand.ranks)) return false;
  if (queue.wide_nodes > 0) return is_wide(core, demand_class, agent.node);
  return core.nodes.size() == 1 || all_joined(core);
}

std::optional<NodeIndex> node_for(const Core& core, ClassIndex demand_class, const AgentState& first) {
  return is_wide(core, demand_class, first.node) ? std::optional(first.node) : std::nullopt;
}

}  // namespace regatta::schedule
