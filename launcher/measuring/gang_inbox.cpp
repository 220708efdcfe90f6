#include "measuring/gang_inbox.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace regatta::launcher {
namespace {

bool is_answer(const GangIncoming& incoming) {
  return std::holds_alternative<protocol::GangDone>(incoming.message) ||
         std::holds_alternative<protocol::GangFailed>(incoming.message);
}

}  // namespace

template <class Wanted>
std::optional<GangIncoming> GangInbox::take(const Wanted& wanted) {
  const auto found = std::ranges::find_if(waiting_, wanted);
  if (found == waiting_.end()) return std::nullopt;
  std::optional<GangIncoming> taken(std::move(*found));
  waiting_.erase(found);
  return taken;
}

std::optional<GangIncoming> GangInbox::order_of(AgentId leader) {
  return take([&](const GangIncoming& each) { return each.from == leader && !is_answer(each); });
}

std::optional<GangIncoming> GangInbox::answer() { return take(is_answer); }

}  // namespace regatta::launcher
