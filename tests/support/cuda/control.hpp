// The orders and questions of tests to the emulated CUDA: emulator, fake runtime, fake libraries. Tests that link them
// call regatta_cuda_emulator(); those that open libregatta_cuda_emulated.so find it there by name, kControlEntry.
// A process of its own is told by the environment variable REGATTA_EMULATED_CUDA, read at the first call and at
// reset():
//   streams=early|late|random  threads=forward|reverse|random  seed=N  devices=N  memory=64MiB
//   multiprocessors=N  protect=on|sampled|off
//   fail=FUNCTION:STATUS:AFTER  hang=FUNCTION:AFTER  no_driver  old_driver
// separated by commas; an unknown word ends the process.
#pragma once

#include <cstdint>

namespace regatta::cuda_fakes {

/// When work in streams is done: at the call; when somebody waits, and then only what he waits for; at random.
enum class StreamOrder : std::int32_t { early, late, random };

/// In which order the threads of a kernel take their turns.
enum class ThreadOrder : std::int32_t { forward, reverse, random };

/// When device memory is closed to the host, so that touching it ends the process: after all work (some 100 us each
/// time); after the first 32 calls and each 16th from then on (what there is without an order); never.
enum class Protection : std::int32_t { on, sampled, off };

struct Orders {
  StreamOrder streams = StreamOrder::late;
  ThreadOrder threads = ThreadOrder::forward;
  std::uint64_t seed = 1;
};

/// Counts since reset(). "Done" counts when work runs, from a graph or not; "issued" counts calls.
struct Counters {
  std::int64_t allocations, frees;  ///< device memory: cudaMalloc and cudaMallocAsync, issued
  std::int64_t host_allocations;    ///< pinned memory
  std::int64_t launches;            ///< kernels and calls of libraries, issued one by one
  std::int64_t captured;            ///< pieces of work that entered a graph
  std::int64_t graph_launches, instantiations;
  std::int64_t synchronizations;                        ///< calls that made the host wait, pageable copies too
  std::int64_t kernels, products, convolutions, fills;  ///< done; kernels: own ones
  std::int64_t copies_to_device, copies_to_host, copies_on_device;
  std::int64_t bytes_to_device, bytes_to_host, bytes_on_device;
  std::int64_t flop;        ///< done by products and convolutions
  std::int64_t heuristics;  ///< times that an algorithm was asked for
  // Counts at this moment:
  std::int64_t live_allocations, live_bytes, live_host_allocations;
  std::int64_t live_streams, live_events, live_graphs, live_executables, live_handles;
  std::int64_t live_pools;  ///< pools that devices have themselves aside
};

/// Nodes of the graph that was instantiated last.
struct GraphNodes {
  std::int64_t all, kernels, products, convolutions, copies, fills, others;
  std::int64_t longest_path;  ///< nodes that follow one another
};

/// Each function may be called at any time from any thread.
struct Control {
  /// A fresh machine: memory, streams, faults, complaints and counters gone, then what the environment says. Handles
  /// from before are invalid: destroy backends first.
  void (*reset)();
  void (*set_orders)(Orders orders);
  Orders (*orders)();
  Counters (*counters)();
  GraphNodes (*graph_nodes)();
  /// How many complaints there are (memory is looked over for bytes that nobody may write), and each; the text is valid
  /// until the next call of a fake.
  std::int32_t (*complaints)();
  const char* (*complaint)(std::int32_t index);
  /// Why a call was refused last; empty: none was.
  const char* (*refusal)();
  /// The call of this name after `after` others returns `status` (of its own library) and does nothing. Under the name
  /// of a kernel the error is met when that runs. Statuses of the runtime that are sticky stay.
  void (*fail_next)(const char* function, std::int32_t status, std::int32_t after);
  /// A kernel (or "cublasLtMatmul", ...) of this name never ends: who waits for it waits for ever.
  void (*hang_next)(const char* name, std::int32_t after);
  /// So many fresh devices (0 to 8), each with as much memory; everything on those before is gone.
  void (*set_devices)(std::int32_t count, std::int64_t memory_bytes);
  /// Multiprocessors that devices say they have (16): no bits may depend on them.
  void (*set_multiprocessors)(std::int32_t count);
  /// Sets the compute capability that devices say they have: 90 is 9.0.
  void (*set_compute_capability)(std::int32_t capability);
  /// 0: no driver at all; a version like 12040: that old; 13000: what the runtime wants.
  void (*set_driver)(std::int32_t version);
  /// Whether the host's access to device memory ends the process.
  void (*set_protection)(Protection protection);
};

inline constexpr const char* kControlEntry = "regatta_cuda_emulator";

}  // namespace regatta::cuda_fakes

extern "C" __attribute__((visibility("default"))) const regatta::cuda_fakes::Control* regatta_cuda_emulator();
