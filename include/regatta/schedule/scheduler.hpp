// Events in, actions out. Knows no MPI, file, thread or clock: it is told what time it is.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "regatta/schedule/events.hpp"

namespace regatta::schedule {

class Scheduler {
 public:
  Scheduler(std::vector<BlockRequest> requests, Options options);
  ~Scheduler();

  /// Feeds one event; returns what to do because of it. A report of an attempt that is not the
  /// current one is ignored (duplicates are harmless). `now_seconds` is of the clock of Options::end_seconds.
  std::vector<Action> on(const Event& event, double now_seconds = 0);

  [[nodiscard]] std::size_t waiting() const;    ///< not granted
  [[nodiscard]] std::size_t running() const;    ///< granted, not concluded
  [[nodiscard]] std::size_t concluded() const;  ///< done, given up or refused

  /// Nothing runs, and nothing will: nothing waits, or drained, or what waits needs agents that left, or more time
  /// than is left.
  [[nodiscard]] bool finished() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace regatta::schedule
