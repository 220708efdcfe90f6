// The front of a queue, taken out of it.
#pragma once

#include <deque>
#include <optional>
#include <utility>

namespace regatta::launcher {

template <class Message>
std::optional<Message> take_first(std::deque<Message>& inbox) {
  if (inbox.empty()) return std::nullopt;
  std::optional<Message> first(std::move(inbox.front()));
  inbox.pop_front();
  return first;
}

}  // namespace regatta::launcher
