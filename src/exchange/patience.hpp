// Waiting for other processes on the same host.
#pragma once

#include <sched.h>

#include <algorithm>

#include "regatta/base/clock.hpp"

namespace regatta::exchange {

/// Spins a while, as a peer on another core is mostly near, then gives the core away. Time in which this process was
/// stopped hardly counts: whoever stops it stops its peers, too.
class Patience {
 public:
  explicit Patience(double seconds) : left_seconds_(seconds) {}

  /// False once the time is over.
  bool pause() {
    if (++looks_ % looks_between_clocks != 0) return true;
    const double now = steady_seconds();
    left_seconds_ -= std::min(now - last_seconds_, longest_turn_seconds);
    last_seconds_ = now;
    ::sched_yield();
    return left_seconds_ > 0;
  }

 private:
  static constexpr int looks_between_clocks = 256;
  static constexpr double longest_turn_seconds = 0.05;
  double left_seconds_;
  double last_seconds_ = steady_seconds();
  int looks_ = 0;
};

}  // namespace regatta::exchange
