// A CUDA thread as the scheduler keeps it. A thread writes what it waits for and leaves; everything else is done by the
// host, so that no container is touched by two threads.
#pragma once

#include "support/cuda/emulator/context.hpp"
#include "support/cuda/emulator/device_side.hpp"

namespace regatta::emulator {

enum class State : std::uint8_t { runnable, at_barrier, in_warp_operation, lets_others_run, done, failed };

/// The addresses that threads release to and acquire from. They are fresh for each block, as ThreadSanitizer remembers
/// by address. There is one for each generation, because a thread may come to the next barrier while others still leave
/// the last.
struct OrderTags {
  char barrier[2] = {};
  char lanes[1024][2] = {};
};

struct Thread {
  Ids ids{};
  State state = State::runnable;
  int block = 0;   ///< its place among the resident ones
  int number = 0;  ///< in the block
  Where where{};
  WarpOperation operation{};
  std::uint64_t result = 0;       ///< result of the warp operation
  const char* failure = nullptr;  ///< if failed
  Context* context = nullptr;     ///< null: it has not begun
  OrderTags* tags = nullptr;
  std::uint8_t barriers = 0;            ///< passed
  std::uint8_t warp_barriers = 0;       ///< begun
  std::uint32_t odd_warp_barriers = 0;  ///< lanes for which the last one had an odd number
};

/// The thread that runs; null while the host does.
extern Thread* running;

/// Leaves for the host, which comes back when the thread may go on.
void leave(State state, Where where);

}  // namespace regatta::emulator
