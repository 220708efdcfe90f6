// Messages of gangs' agents to this one. An agent may be in the next gang before the last leader has told it that the
// old one is over. Messages of the new leader wait here meanwhile.
#pragma once

#include <deque>
#include <optional>

#include "regatta/base/ids.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

/// Whether a leader waits for it; all else is an order.
bool is_answer(const protocol::GangMessage& message);

struct GangIncoming {
  AgentId from;
  protocol::GangMessage message;
};

class GangInbox {
 public:
  void add(GangIncoming incoming) { waiting_.push_back(std::move(incoming)); }

  // The next one, if there is any; the order of one sender is kept.
  std::optional<GangIncoming> order_of(AgentId leader);
  std::optional<GangIncoming> answer();

 private:
  template <class Wanted>
  std::optional<GangIncoming> take(const Wanted& wanted);

  std::deque<GangIncoming> waiting_;
};

}  // namespace regatta::launcher
