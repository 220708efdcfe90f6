// Messages that were handed to MPI and not yet taken by it: each keeps its bytes until then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <utility>

namespace regatta::launcher {

template <class Request>
class Outbox {
 public:
  struct Message {
    std::string bytes;
    Request request;
  };

  /// The message stays where it is until it is released.
  Message& add(std::string bytes, Request request) {
    return messages_.emplace_back(Message{std::move(bytes), std::move(request)});
  }

  [[nodiscard]] std::size_t size() const { return messages_.size(); }

  /// Asks `at_most` messages, in turns, whether they are sent, and frees those that are. In turns, because a slow
  /// receiver must not hold up what others have long taken.
  template <class IsSent>
  void release(const IsSent& is_sent, std::size_t at_most) {
    for (std::size_t left = std::min(at_most, messages_.size()); left > 0; --left) {
      if (next_ == messages_.end()) next_ = messages_.begin();
      next_ = is_sent(next_->request) ? messages_.erase(next_) : std::next(next_);
    }
  }

 private:
  std::list<Message> messages_;
  typename std::list<Message>::iterator next_ = messages_.end();
};

}  // namespace regatta::launcher
