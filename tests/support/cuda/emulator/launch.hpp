// A launch while it runs: the blocks that live, their threads, who may go on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/cuda/emulator/options.hpp"
#include "support/cuda/emulator/ready_threads.hpp"
#include "support/cuda/emulator/run.hpp"
#include "support/cuda/emulator/shared_memory.hpp"
#include "support/cuda/emulator/thread.hpp"
#include "support/cuda/emulator/warps.hpp"

namespace regatta::emulator {

/// A block that lives.
struct Resident {
  SharedMemory shared;
  std::unique_ptr<OrderTags> tags;
  std::vector<Warp> warps;
  int at_barrier = 0;  ///< threads that wait there
  int returned = 0;
  Where barrier{};
};

/// Blocks are taken in the order first, first + step, ... modulo their number.
struct BlockOrder {
  std::uint64_t count = 0, first = 0, step = 1, taken = 0;
};

struct Launch {
  LaunchShape shape{};
  Order order{};
  std::uint64_t random = 0;  ///< state of the generator
  int block_threads = 0;
  BlockOrder blocks;
  std::vector<Resident> residents;
  std::vector<Thread> threads;  ///< (resident, number in the block)
  ReadyThreads ready;
  std::vector<int> patient;  ///< threads that let others run
  int idle_rounds = 0;       ///< in which nobody did anything else
  std::string failure;
  std::vector<Resident> retired;  ///< kept to the end where ThreadSanitizer watches: an address is used once
};

/// Prepares the launch and its first blocks. `number` of launches before it: each draws another order.
void begin(Launch& launch, const LaunchShape& shape, const Options& options, std::uint64_t number);

/// The next thread that goes on; null at the end, or after a failure.
Thread* next_thread(Launch& launch);

/// Does what the thread left for.
void settle(Launch& launch, Thread& thread);

}  // namespace regatta::emulator
