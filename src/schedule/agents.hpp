// Who is there and what they can hold.
#pragma once

#include "schedule/core.hpp"

namespace regatta::schedule {

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

}  // namespace regatta::schedule
