// Waiting for other ranks: how long this process did.
#pragma once

#include <sched.h>

#include <algorithm>

#include "regatta/base/clock.hpp"

namespace regatta::engine::cuda {

/// Looks again at once, as the runtime's own waits do: a sleep would be part of the step's time. Time in which this
/// process was stopped hardly counts: whoever stops it stops the other ranks, too.
class RunningTime {
 public:
  explicit RunningTime(double seconds) : left_seconds_(seconds) {}

  /// False once the time is over.
  bool pause() {
    const double now = steady_seconds();
    const double turn = std::min(now - last_seconds_, kLongestTurnSeconds);
    last_seconds_ = now;
    left_seconds_ -= turn;
    waited_seconds_ += turn;
    ::sched_yield();
    return left_seconds_ > 0;
  }

  /// Whether more may be looked at than what is waited for.
  [[nodiscard]] bool is_long() const { return waited_seconds_ > kShortSeconds; }

 private:
  static constexpr double kLongestTurnSeconds = 0.05;
  static constexpr double kShortSeconds = 1e-3;
  double left_seconds_;
  double waited_seconds_ = 0;
  double last_seconds_ = steady_seconds();
};

}  // namespace regatta::engine::cuda
