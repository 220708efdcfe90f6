#include "measuring/gang_inbox.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace regatta::launcher {

bool is_answer(const protocol::GangMessage& message) {
  return std::holds_alternative<protocol::GangDone>(message) || std::holds_alternative<protocol::GangFailed>(message);
}

template <class Wanted>
std::optional<GangIncoming> GangInbox::take(const Wanted& wanted) {
  const auto found = std::ranges::find_if(waiting_, wanted);
  if (found == waiting_.end()) return std::nullopt;
  std::optional<GangIncoming> taken(std::move(*found));
  waiting_.erase(found);
  return taken;
}

std::optional<GangIncoming> GangInbox::order_of(AgentId leader) {
  return take([&](const GangIncoming& each) { return each.from == leader && !is_answer(each.message); });
}

std::optional<GangIncoming> GangInbox::answer() {
  return take([](const GangIncoming& each) { return is_answer(each.message); });
}

}  // namespace regatta::launcher
