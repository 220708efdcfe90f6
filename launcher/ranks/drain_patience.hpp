// How long a drain waits: for the square that runs, and for the other ranks.
#pragma once

#include <algorithm>
#include <optional>

#include "os/drain_signal.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::launcher {

/// A square that takes longer is given up: the squares before it count, and its processes are killed.
class DrainPatience {
 public:
  /// To be asked every second. True once a drain was asked for some seconds ago; at once if what runs was told to end,
  /// too: neither its death nor its numbers are its own.
  bool is_over() {
    constexpr double square_seconds = 3;  // the whole launcher is gone after 10
    if (!drain_requested()) return false;
    if (termination_requested()) return true;
    if (!end_) end_ = Deadline::after(square_seconds);
    return end_->passed();
  }

 private:
  std::optional<Deadline> end_;
};

/// A rank's reasons to stop, and its contact with the others.
struct Others {
  bool drain = false;        ///< drain_requested()
  bool termination = false;  ///< termination_requested()
  double heard_seconds = 0;  ///< when another rank was heard last; steady clock
};

/// A rank that is to stop and hears nothing of the others leaves without them: one of them is dead or hangs.
class LeavePatience {
 public:
  bool is_over(const Others& others, double now_seconds) {
    constexpr double drain_seconds = 6;          // longer than a square gets
    constexpr double termination_seconds = 1.5;  // srun ends the step of a dead rank so: gone after 5
    if (!others.drain) return false;
    if (!asked_seconds_) asked_seconds_ = now_seconds;
    const double silent_seconds = now_seconds - std::max(*asked_seconds_, others.heard_seconds);
    return silent_seconds >= (others.termination ? termination_seconds : drain_seconds);
  }

 private:
  std::optional<double> asked_seconds_;
};

}  // namespace regatta::launcher
