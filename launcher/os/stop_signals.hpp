// SIGINT, SIGTERM and SIGHUP as something to be asked for: whoever has processes or files to clean away is not ended by
// them at once.
#pragma once

#include <exception>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// Somebody asked to stop.
struct Stopped : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

/// They end this process no more as long as this stands. One at a time, on the main thread; children that
/// spawn_process() starts have them back.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Sleeps. Throws Stopped as soon as one of them has come.
  void sleep(double seconds) const;

 private:
  UniqueFd fd_;
};

}  // namespace regatta::launcher
