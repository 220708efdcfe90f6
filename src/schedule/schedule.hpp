// Events in, actions out; knows no MPI, file, thread or clock.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

// agents.cpp: The agents that are there, and the blocks that they can hold.

/// Whether a slot with these cores and devices can hold one rank of `demand`.
bool fits(std::int64_t cores, const std::vector<sweep::DeviceKind>& devices, const sweep::Demand& demand);

/// Whether this agent is there (an id that never joined is not).
bool is_present(const Core& core, AgentId id);

/// Registers an agent that is not present as free.
void enrol(Core& core, const Slot& slot);

/// The agent owns this kind of device no more; it never counts as having had it.
void forget_device(Core& core, AgentId id, sweep::DeviceKind device);

/// Counts for a class whose demand has changed who can hold one of its blocks.
void count_capable(Core& core, ClassIndex demand_class);

/// Ends an agent's eligibility for work: it no longer counts as capable. `duty` is absent, leaving or dismissed.
void retire(Core& core, AgentId id, Duty duty);

// attempts.cpp: Unexplained deaths: each counts for the arm that ran; an arm that died too often is dropped.

/// Counts a death of `arm`; at Options.attempts of them the arm is dropped with this cause. Returns
/// whether the block has an arm left to run.
bool count_death(Core& core, BlockIndex block, ArmIndex arm, const Cause& cause);

/// No device is left for this block: its arms that died on one are dropped with how they died last.
void drop_arms_of_device(Core& core, BlockIndex block);

/// The arms of `block` that are not to be run any more, in the order they were dropped.
std::vector<std::pair<ArmIndex, Cause>> dropped_arms(const Core& core, BlockIndex block);

// feeding.cpp: The blocks that each agent gets next, and how many.

/// Gives a free agent work until it holds more than Options.outstanding blocks, or reserves it for a
/// group, or puts it among the idle.
void feed(Core& core, AgentId id);

/// Offers what waits to idle agents; needed only after blocks came back.
void feed_idle(Core& core);

/// Whether a block waits that could still begin, were all agents that are at work free now.
bool some_may_begin(const Core& core);

/// Takes a granted block from its agents, who will ask for more at the end of the event; the caller
/// concludes it or returns it.
void take_away(Core& core, BlockIndex block);

// grants.cpp: How a block changes hands: granted, given up, returned, over.

/// Grants up to `at_most` next blocks from a place of a class's queue to one agent.
void grant_range(Core& core, ClassIndex demand_class, AgentId id, std::uint32_t at_most, std::size_t place);

/// Grants the next block from a place of a class's queue to `agents` (ascending; all hold nothing).
void grant_group(Core& core, ClassIndex demand_class, std::vector<AgentId> agents, std::size_t place);

/// Removes a block from what its owner holds.
void drop_held(Core& core, BlockIndex block);

/// Removes a group's block from what one of its agents holds.
void drop_group(Core& core, AgentId id);

/// Puts a block taken away back among those that wait.
void return_to_queue(Core& core, BlockIndex block);

/// Marks a block taken away, or refused, as over.
void conclude(Core& core, BlockIndex block);

// nodes.cpp: Machines with enough agents for a group: agents of one machine are near each other, and share memory.

/// One more agent of this node (+1), or one less (-1), is at work and can hold blocks of a class.
void count_on_node(Core& core, NodeIndex node, ClassIndex demand_class, int change);

/// Whether this agent may open a group for the class: its node is large enough, or none is.
bool may_gather(const Core& core, const DemandQueue& queue, ClassIndex demand_class, const AgentState& agent);

/// The node that all of a group have to be of, where one is large enough.
std::optional<NodeIndex> node_for(const Core& core, ClassIndex demand_class, const AgentState& first);

// refusals.cpp: Blocks that no agent of the job can ever hold, and arms that no device, no slot or too few agents can
// run.

/// Blocks that ask for a device which no agent that ever joined has (any more) are to run without their arms on it.
/// Before all expected agents have joined this does nothing.
void go_on_without_devices(Core& core);

/// Refuses what nobody can hold, once all expected agents have joined, unless the job drains. Blocks of which fewer
/// agents or smaller slots can run a part (BlockRequest::least_ranks, least_cores) ask for all that there are. Agents
/// that left count as if they were there: their loss is no reason to skip a block, the next job may have them again.
void refuse_what_nobody_can_hold(Core& core);

}  // namespace regatta::schedule
