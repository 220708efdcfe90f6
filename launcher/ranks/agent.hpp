// An MPI rank's first role: owns one slot, runs the blocks it is granted, one after the other.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "measuring/agent_slot.hpp"
#include "measuring/gang_link.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

/// The agent's link to the coordinator, whether that is another rank or this one.
struct Uplink {
  std::function<void(const protocol::AgentReply&)> send;
  std::function<std::optional<protocol::AgentRequest>()> receive;  ///< does not wait
  std::function<bool()> drain_requested;
  std::function<void(double seconds)> sleeps = [](double) {};  ///< told before the agent sleeps with nothing to do
  GangLink gang = {};
  /// Told that agents of other nodes do not answer any more: the job cannot go on with them. May throw.
  std::function<void(const std::string& why)> cut_off = [](const std::string&) {};
};

/// Runs until the coordinator says Finish and has acknowledged every result.
void run_agent(AgentSlot& slot, const Uplink& uplink, AgentId own, const protocol::AgentReady& greeting);

}  // namespace regatta::launcher
