// Splitting a call among threads. The only file of the engine that knows oneTBB.
#pragma once

#include <memory>

#include "regatta/engine/backend.hpp"

namespace regatta::engine::cpu {

class Parallel {
 public:
  /// An arena of `threads` threads, the caller among them; oneTBB gives no more than this process has cores.
  explicit Parallel(int threads);
  ~Parallel();

  /// Runs all units of the call, at least `grain` of them by one thread.
  void run(const Call& call);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace regatta::engine::cpu
