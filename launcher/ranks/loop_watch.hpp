// How well rank 0's loop keeps up: how late its turns come, and how many messages wait for one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "regatta/base/log_histogram.hpp"

namespace regatta::launcher {

/// All times are on the steady clock.
class LoopWatch {
 public:
  explicit LoopWatch(double now_seconds) : due_seconds_(now_seconds) {}

  void turn_begins(double now_seconds) { lag_seconds_ = std::max(0.0, now_seconds - due_seconds_); }

  /// The next one is due at once, unless the loop says that it sleeps.
  void turn_ends(double now_seconds, std::size_t messages) {
    due_seconds_ = now_seconds;
    ++turns_;
    if (messages == 0) return;  // nobody waited for it
    lags_.add(lag_seconds_);
    inbox_.add(static_cast<double>(messages));
  }

  /// Nothing is expected of the loop before.
  void sleeps_until(double seconds) { due_seconds_ = std::max(due_seconds_, seconds); }

  [[nodiscard]] std::uint64_t turns() const { return turns_; }
  /// How late the turns that had messages came, and how many these were.
  [[nodiscard]] const LogHistogram& lags() const { return lags_; }
  [[nodiscard]] const LogHistogram& inbox() const { return inbox_; }

 private:
  double due_seconds_;
  double lag_seconds_ = 0;  ///< by which the turn that runs came late
  std::uint64_t turns_ = 0;
  LogHistogram lags_;
  LogHistogram inbox_;
};

}  // namespace regatta::launcher
