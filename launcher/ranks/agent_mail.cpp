#include "ranks/agent_mail.hpp"

#include <utility>
#include <variant>

#include "ranks/ranks.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::launcher {

bool AgentMail::sort_next() {
  const auto incoming = link_.poll();
  if (!incoming) return false;
  if (incoming->channel == Channel::gang)
    gang_.add({incoming->from, protocol::parse_gang_message(incoming->frame)});
  else
    requests_.push_back(protocol::parse_agent_request(incoming->frame));
  return true;
}

std::optional<protocol::AgentRequest> AgentMail::from_coordinator() {
  while (requests_.empty() && sort_next()) {
  }
  return take_first(requests_);
}

GangInbox& AgentMail::gang() {
  while (sort_next()) {
  }
  return gang_;
}

GangLink gang_link(MpiLink& link, std::function<GangInbox&()> inbox) {
  return {[&link](AgentId to, const protocol::GangMessage& message) {
            link.send(to, Channel::gang, protocol::to_packed(message),
                      is_answer(message) ? MpiLink::Until::heard : MpiLink::Until::taken);
          },
          std::move(inbox), [&link] { return link.flushed(); }};
}

}  // namespace regatta::launcher
