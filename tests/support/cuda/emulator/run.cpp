#include "support/cuda/emulator/run.hpp"

#include <pthread.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

#include "support/cuda/emulator/launch.hpp"

namespace regatta::emulator {

Thread* running = nullptr;

namespace {

/// Where ThreadSanitizer watches: each costs it half a MiB, and six of the mappings that a process may have.
constexpr std::size_t kMostContexts = 3072;

/// The device. Its contexts serve one thread after another; one that waits keeps its own. To ThreadSanitizer a context
/// is what a thread is: what it has done and acquired would order the next thread of the launch. So each serves one
/// thread of a launch, as long as they are no more than kMostContexts; then that one goes on which ended first. It
/// tells but 255 threads apart itself. Contexts that are made and destroyed instead take 100 us each, and memory for
/// ever.
struct Device {
  std::mutex busy;
  Counts counts;
  Launch launch;
  const std::function<void()>* body = nullptr;
  Context host;
  std::deque<Context> contexts;
  std::vector<Context*> idle;
  std::deque<Context*> used;  ///< by threads of this launch that have ended
  char begin = 0, end = 0;    ///< tags of order

  ~Device() {
    for (Context& context : contexts) release(context);
  }
};

Device device;

/// The endless loop of a context.
void serve() {
  arrive(device.host);
  for (;;) {
    order_acquire(&device.begin);
    (*device.body)();
    leave(State::done, {});
  }
}

void add_context() {
  device.idle.push_back(&device.contexts.emplace_back());
  make_ready(*device.idle.back(), serve);
}

Context* take_context() {
  if (device.idle.empty() && !device.used.empty() && device.contexts.size() >= kMostContexts) {
    device.idle.push_back(device.used.front());
    device.used.pop_front();
  }
  if (device.idle.empty()) add_context();
  Context* const context = device.idle.back();
  device.idle.pop_back();
  if (context->stack == nullptr) make_ready(*context, serve);
  return context;
}

/// Before any thread of the launch runs: a context acquires from the host when it is made.
void prepare_contexts(const LaunchShape& shape) {
  const dim3 grid = shape.grid, block = shape.block;
  const std::uint64_t threads = std::uint64_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
  while (device.idle.size() < std::min<std::uint64_t>(threads, kMostContexts)) add_context();
}

/// At the end of a launch the host knows what all its threads did, and so will those of the next one.
void give_all_back() {
  device.idle.insert(device.idle.end(), device.used.begin(), device.used.end());
  device.used.clear();
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
  if (kForTsan) {
    device.used.push_back(thread.context);
  } else {
    device.idle.push_back(thread.context);
  }
  thread.context = nullptr;
}

/// ThreadSanitizer does not watch the host of a child whose parent had other threads, and contexts are such to it.
void end_contexts() {
  const std::unique_lock alone(device.busy, std::try_to_lock);
  if (!alone.owns_lock()) return;
  for (Context& context : device.contexts) release(context);
  device.contexts.clear();
  device.idle.clear();
}

void end_contexts_before_forks() {
  static const int error = pthread_atfork(end_contexts, nullptr, nullptr);
  if (error != 0) throw std::bad_alloc();
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

void run_threads(Launch& launch, const LaunchShape& shape, const Options& options) {
  const UnwatchedHost unwatched;
  begin(launch, shape, options, device.counts.launches);
  while (Thread* const thread = next_thread(launch)) {
    go_on(*thread);
    settle(launch, *thread);
  }
}

}  // namespace

const Counts& counts() { return device.counts; }
const Ids& ids() { return running->ids; }

void leave(State state, Where where) {
  running->state = state;
  running->where = where;
  order_release(&device.end);  // a context that leaves may not come back
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
  if (kForTsan) end_contexts_before_forks();
  const std::lock_guard alone(device.busy);
  ++device.counts.launches;
  Launch& launch = device.launch;
  device.body = &body;
  device.host = {};
  if (kForTsan) prepare_contexts(shape);
  order_release(&device.begin);
  run_threads(launch, shape, options);
  order_acquire(&device.end);
  abandon(launch);
  give_all_back();
  if (kForTsan) launch.residents.clear();
  launch.retired.clear();
  if (!launch.failure.empty()) throw Failure(launch.failure);
}

}  // namespace regatta::emulator
