// A clock that jumps from event to event.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace regatta::simulation {

class VirtualTime {
 public:
  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] bool is_quiet() const { return events_.empty(); }

  void after(double seconds, std::function<void()> action) { at(now_ + seconds, std::move(action)); }
  void at(double time, std::function<void()> action) { events_.push({time, order_++, std::move(action)}); }

  void run_next() {
    const Event event = events_.top();
    events_.pop();
    now_ = event.time;
    event.action();
  }

 private:
  struct Event {
    double time;
    std::uint64_t order;  ///< events of one time happen as they were made
    std::function<void()> action;
    bool operator<(const Event& other) const { return time != other.time ? time > other.time : order > other.order; }
  };
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  double now_ = 0;
};

}  // namespace regatta::simulation
