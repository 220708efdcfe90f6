// Looking for messages that nothing wakes for: soon after the last one, then ever more seldom.
#pragma once

#include <algorithm>

#include "os/wait.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::launcher {

class PollPace {
 public:
  explicit PollPace(double longest_seconds) : longest_seconds_(longest_seconds) {}

  /// Nothing was there: sleeps.
  void pause() {
    wait_readable({}, Deadline::after(seconds_), [this] { return seconds_; });
    seconds_ = std::min(2 * seconds_, longest_seconds_);
  }
  /// How long the next pause is.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Something was.
  void quicken() { seconds_ = shortest_seconds; }

 private:
  static constexpr double shortest_seconds = 20e-6;
  double longest_seconds_;
  double seconds_ = shortest_seconds;
};

}  // namespace regatta::launcher
