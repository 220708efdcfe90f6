// Time: a steady clock for durations and deadlines, the wall clock only for dates that people read.
#pragma once

#include <chrono>
#include <cstdint>

namespace regatta {

/// Seconds on the steady clock (CLOCK_MONOTONIC: the same zero for all processes of a host).
double steady_seconds();

/// Nanoseconds on the steady clock.
std::int64_t steady_nanoseconds();

/// Seconds since 1970-01-01 UTC.
double wall_seconds();

/// A point on the steady clock after which a wait gives up.
struct Deadline {
  double at_seconds;  ///< steady clock
  static Deadline after(double seconds) { return {steady_seconds() + seconds}; }
  [[nodiscard]] double left_seconds() const { return at_seconds - steady_seconds(); }
  [[nodiscard]] bool passed() const { return left_seconds() <= 0; }
};

}  // namespace regatta
