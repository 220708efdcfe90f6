// How long a drain waits for the square that runs.
#pragma once

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

}  // namespace regatta::launcher
