// Whether another process has come to a standstill.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace regatta::launcher {

/// Adds up the time between looks. A look that comes very late was held up together with all that it looks at (by a
/// batch system that suspends the job, a laptop that sleeps): it counts as one that came in time.
class WakingTime {
 public:
  WakingTime(double now_seconds, double interval_seconds)
      : last_seconds_(now_seconds), interval_seconds_(interval_seconds) {}

  /// Seconds since the last look, two intervals at most.
  double since_last_look(double now_seconds);

 private:
  double last_seconds_;
  double interval_seconds_;
};

/// Watches a process that wakes up at least once a second as long as it is well. One that has used no processor time at
/// all for `patience_seconds` was stopped, or hangs. One that computes is never taken for that, however long it takes.
class StillWatch {
 public:
  StillWatch(pid_t watched, double patience_seconds, double now_seconds);

  /// The interval at which is_still() is to be called.
  [[nodiscard]] double look_seconds() const { return look_seconds_; }

  /// True once the watched process stands still for too long. A debugger may hold it as long as it likes.
  bool is_still(double now_seconds);

 private:
  pid_t watched_;
  double patience_seconds_;
  double look_seconds_;
  WakingTime waking_;
  std::optional<std::int64_t> used_nanoseconds_;
  double still_seconds_ = 0;
};

}  // namespace regatta::launcher
