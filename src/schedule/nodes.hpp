// Which machines have enough agents for a group: those of one are near each other, and share memory.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

/// One more agent of this node (+1), or one less (-1), is at work and can hold blocks of a class.
void count_on_node(Core& core, NodeIndex node, ClassIndex demand_class, int change);

/// Whether this agent may open a group for the class: its node is large enough, or none is.
bool may_gather(const Core& core, const DemandQueue& queue, ClassIndex demand_class, const AgentState& agent);

/// The node that all of a group have to be of, where one is large enough.
std::optional<NodeIndex> node_for(const Core& core, ClassIndex demand_class, const AgentState& first);

}  // namespace regatta::schedule
