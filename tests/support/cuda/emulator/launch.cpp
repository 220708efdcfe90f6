#include "support/cuda/emulator/launch.hpp"

#include <algorithm>
#include <numeric>

namespace regatta::emulator {

namespace {

constexpr int kMostIdleRounds = 10000;

/// Steele, Lea and Flood 2014: SplitMix.
std::uint64_t draw(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

std::string text_of(uint3 index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

std::string text_of(const Thread& thread) {
  return "thread " + text_of(thread.ids.thread) + " of block " + text_of(thread.ids.block);
}

void fail(Launch& launch, const Thread& thread, const std::string& what) {
  if (!launch.failure.empty()) return;
  const std::string place = thread.where.file != nullptr ? " at " + text_of(thread.where) : "";
  launch.failure = std::string(launch.shape.name) + ": " + what + place + ", " + text_of(thread);
}

BlockOrder order_of_blocks(Launch& launch) {
  const dim3 grid = launch.shape.grid;
  BlockOrder order{.count = std::uint64_t{grid.x} * grid.y * grid.z};
  if (launch.order == Order::reverse) {
    order.first = order.count - 1;
    order.step = order.count - 1;
  } else if (launch.order == Order::random) {
    order.first = draw(launch.random) % order.count;
    order.step = 1 + draw(launch.random) % order.count;
    while (std::gcd(order.step, order.count) != 1) ++order.step;
  }
  return order;
}

void begin_threads(Launch& launch, int resident, uint3 block) {
  const dim3 dim = launch.shape.block;
  uint3 index{0, 0, 0};
  for (int number = 0; number < launch.block_threads; ++number) {
    const int place = resident * launch.block_threads + number;
    Thread& thread = launch.threads[static_cast<std::size_t>(place)];
    thread = {.ids = {index, block, dim, launch.shape.grid, number & 31}, .block = resident, .number = number};
    thread.tags = launch.residents[static_cast<std::size_t>(resident)].tags.get();
    launch.ready.add(place);
    if (++index.x < dim.x) continue;
    index.x = 0;
    if (++index.y < dim.y) continue;
    index.y = 0;
    ++index.z;
  }
}

/// Puts the next block, if there is one, in the place of a resident that has ended.
void begin_next_block(Launch& launch, int resident) {
  BlockOrder& order = launch.blocks;
  if (order.taken == order.count) return;
  const std::uint64_t number = (order.first + order.taken++ * order.step) % order.count;
  const dim3 grid = launch.shape.grid;
  const auto x = static_cast<unsigned>(number % grid.x);
  const auto y = static_cast<unsigned>(number / grid.x % grid.y);
  const auto z = static_cast<unsigned>(number / grid.x / grid.y);
  Resident& block = launch.residents[static_cast<std::size_t>(resident)];
  if (kForTsan) {
    launch.retired.push_back(std::move(block));
    block = {};
    block.tags = std::make_unique<OrderTags>();
  }
  begin_block(block.shared);
  block.at_barrier = 0;
  block.returned = 0;
  block.warps.resize(static_cast<std::size_t>(launch.block_threads + 31) / 32);
  Thread* const threads = launch.threads.data() + resident * launch.block_threads;
  for (int warp = 0; warp * 32 < launch.block_threads; ++warp) {
    const int lanes = std::min(32, launch.block_threads - warp * 32);
    block.warps[static_cast<std::size_t>(warp)] = {threads + warp * 32, lanes, 0, {}};
  }
  begin_threads(launch, resident, {x, y, z});
}

void go_on(Launch& launch, Thread& thread) {
  thread.state = State::runnable;
  launch.ready.add(thread.block * launch.block_threads + thread.number);
}

void settle_barrier(Launch& launch, Resident& block, Thread& thread) {
  if (block.returned > 0) {
    return fail(launch, thread, "__syncthreads that threads of the block which have returned never reach");
  }
  if (block.at_barrier > 0 && block.barrier != thread.where) {
    return fail(launch, thread, "__syncthreads where others of the block wait in the one at " + text_of(block.barrier));
  }
  block.barrier = thread.where;
  if (++block.at_barrier < launch.block_threads) return;
  block.at_barrier = 0;
  Thread* const threads = launch.threads.data() + thread.block * launch.block_threads;
  for (int number = 0; number < launch.block_threads; ++number) go_on(launch, threads[number]);
}

void settle_warp_operation(Launch& launch, Resident& block, Thread& thread) {
  Warp& warp = block.warps[static_cast<std::size_t>(thread.number / 32)];
  const Arrival arrival = arrive_in_warp(warp, thread);
  if (!arrival.failure.empty()) return fail(launch, thread, arrival.failure);
  for (int lane = 0; lane < warp.count; ++lane) {
    if (((arrival.go_on >> lane) & 1U) != 0) go_on(launch, warp.lanes[lane]);
  }
}

void settle_end(Launch& launch, Resident& block, Thread& thread) {
  if (block.at_barrier > 0) {
    thread.where = block.barrier;
    return fail(launch, thread, "__syncthreads where threads of the block wait, and another one returns");
  }
  Warp& warp = block.warps[static_cast<std::size_t>(thread.number / 32)];
  const unsigned me = 1U << thread.ids.lane;
  warp.returned |= me;
  for (const Gathering& gathering : warp.gatherings) {
    if ((gathering.operation.mask & me) == 0) continue;
    thread.where = gathering.where;
    return fail(launch, thread, std::string(gathering.operation.name) + " whose mask names a lane that returns");
  }
  if (++block.returned < launch.block_threads) return;
  if (const char* const array = overrun(block.shared); array != nullptr) {
    thread.where = {};
    return fail(launch, thread, std::string("the block wrote beyond the shared array ") + array);
  }
  begin_next_block(launch, thread.block);
}

const char* text_of(State state) {
  switch (state) {
    case State::at_barrier:
      return "waits in __syncthreads";
    case State::in_warp_operation:
      return "waits in a warp operation";
    case State::lets_others_run:
      return "spins without end: what it waits for is not resident, or never comes";
    default:
      return "goes on";
  }
}

/// Names the first thread that waits, if one does.
void find_stuck(Launch& launch) {
  for (const Thread& thread : launch.threads) {
    if (thread.state == State::done || thread.state == State::runnable) continue;
    return fail(launch, thread, std::string("a thread ") + text_of(thread.state));
  }
}

}  // namespace

void begin(Launch& launch, const LaunchShape& shape, const Options& options, std::uint64_t number) {
  launch.shape = shape;
  launch.order = options.order;
  launch.random = options.seed * 0x100000001b3U + number;
  launch.block_threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
  launch.blocks = order_of_blocks(launch);
  const auto most = static_cast<std::uint64_t>(std::max(1, options.resident_blocks));
  const std::uint64_t wished = launch.order == Order::random ? most + draw(launch.random) % (most + 1) : most;
  const auto residents = static_cast<int>(std::min(launch.blocks.count, wished));
  launch.residents.resize(static_cast<std::size_t>(residents));
  launch.threads.resize(static_cast<std::size_t>(residents * launch.block_threads));
  launch.ready.clear(residents * launch.block_threads);
  launch.patient.clear();
  launch.idle_rounds = 0;
  launch.failure.clear();
  for (int resident = 0; resident < residents; ++resident) begin_next_block(launch, resident);
}

Thread* next_thread(Launch& launch) {
  if (!launch.failure.empty()) return nullptr;
  int next = launch.ready.take(launch.order, launch.order == Order::random ? draw(launch.random) : 0);
  if (next < 0 && launch.idle_rounds < kMostIdleRounds && !launch.patient.empty()) {
    ++launch.idle_rounds;
    for (const int place : launch.patient) go_on(launch, launch.threads[static_cast<std::size_t>(place)]);
    launch.patient.clear();
    next = launch.ready.take(launch.order, draw(launch.random));
  }
  if (next >= 0) return &launch.threads[static_cast<std::size_t>(next)];
  find_stuck(launch);
  return nullptr;
}

void settle(Launch& launch, Thread& thread) {
  Resident& block = launch.residents[static_cast<std::size_t>(thread.block)];
  if (thread.state != State::lets_others_run) launch.idle_rounds = 0;
  switch (thread.state) {
    case State::at_barrier:
      return settle_barrier(launch, block, thread);
    case State::in_warp_operation:
      return settle_warp_operation(launch, block, thread);
    case State::lets_others_run:
      launch.patient.push_back(thread.block * launch.block_threads + thread.number);
      return;
    case State::done:
      return settle_end(launch, block, thread);
    case State::failed:
      return fail(launch, thread, thread.failure);
    case State::runnable:
      return;
  }
}

}  // namespace regatta::emulator
