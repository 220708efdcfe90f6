// Rank 0's notes on its own work in one session, and the time when they are due to be written.
#pragma once

#include <algorithm>

#include "ranks/loop_watch.hpp"
#include "ranks/slot_use.hpp"
#include "regatta/results/orchestration.hpp"

namespace regatta::launcher {

class SelfWatch {
 public:
  /// `foretold_seconds`: what the session will take, as far as that is known.
  SelfWatch(double now_seconds, double foretold_seconds);

  LoopWatch loop;
  SlotUse slots;

  /// So that a killed session leaves figures that lack its last sixteenth at most, and few records of them.
  [[nodiscard]] bool is_note_due(double now_seconds) const { return now_seconds >= next_note_seconds_; }
  results::Orchestration note(double now_seconds, const LogHistogram& syncs);

 private:
  double foretold_seconds_;
  double start_seconds_;
  double start_cpu_seconds_;
  double next_note_seconds_;
};

}  // namespace regatta::launcher
