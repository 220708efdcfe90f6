// What the agents of a gang say to each other goes over this, whatever carries it.
#pragma once

#include <functional>
#include <optional>

#include "regatta/base/ids.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

struct GangIncoming {
  AgentId from;
  protocol::GangMessage message;
};

struct GangLink {
  std::function<void(AgentId to, const protocol::GangMessage&)> send = {};
  /// What came, if anything did; it does not wait, and does what else the agent owes to others.
  std::function<std::optional<GangIncoming>()> receive = {};
  /// Whether all answers were heard by whom they were sent to.
  std::function<bool()> is_heard = {};
};

}  // namespace regatta::launcher
