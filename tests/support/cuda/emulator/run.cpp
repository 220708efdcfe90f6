#include "support/cuda/emulator/run.hpp"

#include <deque>
#include <mutex>
#include <vector>

#include "support/cuda/emulator/launch.hpp"

namespace regatta::emulator {

Thread* running = nullptr;

namespace {

/// The device. Its contexts serve one thread after another; one that waits keeps its own.
struct Device {
  std::mutex busy;
  Counts counts;
  Launch launch;
  const std::function<void()>* body = nullptr;
  Context host;
  std::deque<Context> contexts;
  std::vector<Context*> idle;
  char begin = 0, end = 0;  ///< tags of order

  ~Device() {
    for (Context& context : contexts) release(context);
  }
};

Device device;

/// What a context does for ever.
void serve() {
  arrive(device.host);
  for (;;) {
    order_acquire(&device.begin);
    (*device.body)();
    leave(State::done, {});
  }
}

Context* take_context() {
  if (device.idle.empty()) {
    device.idle.push_back(&device.contexts.emplace_back());
    make_ready(*device.idle.back(), serve);
  }
  Context* const context = device.idle.back();
  device.idle.pop_back();
  if (context->stack == nullptr) make_ready(*context, serve);
  return context;
}

void go_on(Thread& thread) {
  if (thread.context == nullptr) {
    thread.context = take_context();
    ++device.counts.threads;
  }
  ++device.counts.switches;
  running = &thread;
  switch_context(device.host, *thread.context);
  running = nullptr;
  if (thread.state != State::done) return;
  if (kForTsan) release(*thread.context);
  device.idle.push_back(thread.context);
  thread.context = nullptr;
}

/// Contexts of threads that will not end begin anew.
void abandon(Launch& launch) {
  for (Thread& thread : launch.threads) {
    if (thread.context == nullptr) continue;
    release(*thread.context);
    device.idle.push_back(thread.context);
    thread.context = nullptr;
  }
}

}  // namespace

const Counts& counts() { return device.counts; }
const Ids& ids() { return running->ids; }

void leave(State state, Where where) {
  running->state = state;
  running->where = where;
  order_release(&device.end);  // whoever leaves may not come back
  switch_context(*running->context, device.host);
}

void block_barrier(Where where) {
  ++device.counts.barriers;
  Thread& me = *running;
  char* const tag = kForTsan ? &me.tags->barrier[me.barriers & 1] : nullptr;
  order_release(tag);
  leave(State::at_barrier, where);
  order_acquire(tag);
  ++me.barriers;
}

void let_others_run(Where where) { leave(State::lets_others_run, where); }

void* shared_array(const void* key, std::size_t bytes, std::size_t alignment, const char* name, Where where) {
  SharedMemory& memory = device.launch.residents[static_cast<std::size_t>(running->block)].shared;
  void* const array = find_array(memory, key, bytes, alignment, name);
  if (array == nullptr) {
    running->failure = "more than 48 KiB of static shared memory";
    leave(State::failed, where);
  }
  return array;
}

std::uint64_t join_warp(const WarpOperation& operation, Where where) {
  ++device.counts.warp_operations;
  Thread& me = *running;
  me.operation = operation;
  const bool orders = kForTsan && operation.kind == WarpKind::barrier;
  char(*const tags)[2] = orders ? me.tags->lanes + (me.number & ~31) : nullptr;
  if (orders) order_release(&tags[me.ids.lane][++me.warp_barriers & 1]);
  leave(State::in_warp_operation, where);
  if (orders) {
    for (int lane = 0; lane < 32; ++lane) {
      if (((operation.mask >> lane) & 1U) != 0) order_acquire(&tags[lane][(me.odd_warp_barriers >> lane) & 1U]);
    }
  }
  return me.result;
}

cudaError_t refusal(const LaunchShape& shape) {
  const dim3 grid = shape.grid;
  const dim3 block = shape.block;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (std::uint64_t{grid.x} * grid.y * grid.z == 0 || threads == 0) return cudaErrorInvalidConfiguration;
  if (grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535) return cudaErrorInvalidConfiguration;
  if (threads > 1024 || block.z > 64) return cudaErrorInvalidConfiguration;
  return shape.dynamic_shared_bytes > kSharedLimitBytes ? cudaErrorInvalidValue : cudaSuccess;
}

void run(const LaunchShape& shape, const Options& options, const std::function<void()>& body) {
  if (refusal(shape) != cudaSuccess)
    throw Failure(std::string(shape.name) + ": no device takes a launch of this shape");
  const std::lock_guard alone(device.busy);
  ++device.counts.launches;
  Launch& launch = device.launch;
  device.body = &body;
  device.host = {};
  order_release(&device.begin);
  begin(launch, shape, options, device.counts.launches);
  while (Thread* const thread = next_thread(launch)) {
    go_on(*thread);
    settle(launch, *thread);
  }
  order_acquire(&device.end);
  abandon(launch);
  if (kForTsan) launch.residents.clear();
  launch.retired.clear();
  if (!launch.failure.empty()) throw Failure(launch.failure);
}

}  // namespace regatta::emulator
