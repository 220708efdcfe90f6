// What the agents of a gang say to each other goes over this, whatever carries it.
#pragma once

#include <functional>

#include "measuring/gang_inbox.hpp"

namespace regatta::launcher {

struct GangLink {
  std::function<void(AgentId to, const protocol::GangMessage&)> send = {};
  /// With what has come by now; it does not wait, and does what else the agent owes to others.
  std::function<GangInbox&()> inbox = {};
  /// Whether all answers were heard by whom they were sent to.
  std::function<bool()> is_heard = {};
};

}  // namespace regatta::launcher
