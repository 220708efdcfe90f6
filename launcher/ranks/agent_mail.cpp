#include "ranks/agent_mail.hpp"

#include <utility>
#include <variant>

#include "ranks/take_first.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::launcher {

bool AgentMail::sort_next() {
  const auto incoming = link_.poll();
  if (!incoming) return false;
  if (incoming->channel == Channel::gang)
    of_gang_.push_back({incoming->from, protocol::parse_gang_message(incoming->frame)});
  else
    requests_.push_back(protocol::parse_agent_request(incoming->frame));
  return true;
}

std::optional<protocol::AgentRequest> AgentMail::from_coordinator() {
  while (requests_.empty() && sort_next()) {
  }
  return take_first(requests_);
}

std::optional<GangIncoming> AgentMail::from_gang() {
  while (of_gang_.empty() && sort_next()) {
  }
  return take_first(of_gang_);
}

GangLink gang_link(MpiLink& link, std::function<std::optional<GangIncoming>()> receive) {
  return {[&link](AgentId to, const protocol::GangMessage& message) {
            const bool is_answer = std::holds_alternative<protocol::GangDone>(message) ||
                                   std::holds_alternative<protocol::GangFailed>(message);
            link.send(to, Channel::gang, protocol::to_packed(message),
                      is_answer ? MpiLink::Until::heard : MpiLink::Until::taken);
          },
          std::move(receive), [&link] { return link.flushed(); }};
}

}  // namespace regatta::launcher
