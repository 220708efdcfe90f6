// How far a run is, on stderr: a bar on a terminal, elsewhere a line every ten seconds.
#pragma once

#include "coordinator.hpp"

namespace regatta::launcher {

enum class ProgressStyle { bar, lines };

class ProgressPrinter {
 public:
  explicit ProgressPrinter(ProgressStyle style);
  void show(const Progress& progress);

 private:
  ProgressStyle style_;
  double start_seconds_;
  double next_seconds_;
  std::size_t shown_ = static_cast<std::size_t>(-1);
  std::size_t already_done_ = static_cast<std::size_t>(-1);
};

}  // namespace regatta::launcher
