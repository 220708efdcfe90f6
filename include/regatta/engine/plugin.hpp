// The boundary between the engine and a backend in a shared object of its own: one C function, plain structs, plain
// status values. No exception and no type information crosses it. Both sides are built from the same headers: their
// build ids prove it. A plugin is served by src/engine/plugin/serve.hpp and opened by open_plugin.hpp.
#pragma once

#include <cstdint>

#include "regatta/engine/backend.hpp"

namespace regatta::engine {

/// How a call across the boundary ended. PluginTable::error tells more, except for `done`.
enum class PluginStatus : std::int32_t {
  done,
  refused,    ///< the request cannot be met here: InputError
  no_memory,  ///< std::bad_alloc
  failed,     ///< the device, or the plugin itself: DeviceError
};

/// How a device's memory is taken: piece by piece from a pool that grows, or a fixed share of it at the start.
enum class DeviceMemory : std::int32_t { grow, preallocate };

/// How batches reach the device: through pinned memory; from the caller's pages as they are; through pinned memory on a
/// stream of its own, beside the step before.
enum class Transfers : std::int32_t { pinned, pageable, overlapped };

/// The settings of a plugin's backend.
struct PluginSettings {
  Precision precision = Precision::fp32;
  std::int32_t device = 0;  ///< position in the order of PluginTable::devices
  DeviceMemory memory = DeviceMemory::grow;
  Transfers transfers = Transfers::pinned;
  std::int64_t memory_bytes = 0;       ///< at most so many are taken; 0: what the device has free
  bool deterministic = true;           ///< only kernels that give the same bits each time
  bool empty_kernels = false;          ///< every operation is issued and computes nothing
  double choosing_seconds = 0;         ///< time in which kernels of libraries may be chosen by timing
  const char* choices_file = nullptr;  ///< keeps what was chosen; null: nothing is kept
  double drain_seconds = 10;           ///< time that the backend's end waits for work that may never end
};

/// A device that the plugin can compute on. Texts end with a zero byte.
struct PluginDevice {
  char name[128];   ///< "NVIDIA H200"
  char uuid[64];    ///< "GPU-...": the same in every process, whatever the order there
  char bus_id[32];  ///< PCI: "00000000:3b:00.0"
  std::int64_t memory_bytes;
  std::int32_t compute_capability;  ///< 90: 9.0
  std::int32_t multiprocessors;
};

/// The numbers of PlanHints.
struct PluginHints {
  std::int64_t sum_block = 0;
  std::int64_t outer_b_rows = 0;
  std::int64_t large_update_bytes = 0;
  bool rounds_images = false;
};

/// GroupPlace. Texts end with a zero byte.
struct PluginPlace {
  const char* id;
  const char* stop;
  std::int32_t device;
  std::int32_t rank;
  std::int32_t ranks;
  double patience_seconds;
};

/// A backend of the plugin, a recording of it, and a group of ranks.
struct PluginBackend;
struct PluginRecording;
struct PluginGroup;

/// The functions of engine::Backend, in its order. Memory is the device's, as `allocate` gave it.
struct PluginTable {
  const char* build_id;  ///< read before anything else here is believed
  /// Fills at most `capacity` devices and tells in `count` how many there are. `failed` where none can be asked for: no
  /// driver, or one that is too old; PluginTable::error says which.
  PluginStatus (*devices)(PluginDevice* devices, std::int32_t capacity, std::int32_t* count);
  /// Versions of driver and libraries, for people: "driver 13.0, runtime 13.0, cuBLASLt 13.0.2, cuDNN 9.19.0".
  const char* (*versions)();
  PluginStatus (*make)(const PluginSettings* settings, PluginBackend** backend);
  void (*destroy)(PluginBackend* backend);
  /// The message of the last call on this thread that was not `done`; valid until the next such call.
  const char* (*error)();
  const char* (*isa)(PluginBackend* backend);
  PluginStatus (*allocate)(PluginBackend* backend, std::int64_t bytes, void** memory);
  void (*release)(PluginBackend* backend, void* memory);
  PluginStatus (*import)(PluginBackend* backend, std::int32_t slot, const void* host, std::int64_t bytes,
                         void** memory);
  PluginStatus (*write)(PluginBackend* backend, void* to, const void* host, std::int64_t bytes);
  PluginStatus (*host_view)(PluginBackend* backend, const void* memory, std::int64_t bytes, const void** host);
  PluginStatus (*held_bytes)(PluginBackend* backend, std::int64_t* bytes);
  PluginStatus (*scratch_bytes)(PluginBackend* backend, const OpSpec* spec, std::int64_t* bytes);
  PluginStatus (*plan_hints)(PluginBackend* backend, PluginHints* hints);
  PluginStatus (*bind)(PluginBackend* backend, const OpSpec* spec, void* const* memory, BoundCalls* bound);
  PluginStatus (*begin_calls)(PluginBackend* backend);
  void (*end_calls)(PluginBackend* backend);
  PluginStatus (*run)(PluginBackend* backend, const Call* call);
  PluginStatus (*record)(PluginBackend* backend, const Call* calls, std::int64_t count, PluginRecording** recording);
  PluginStatus (*set_operand)(PluginRecording* recording, std::int64_t index, std::int32_t operand, void* memory);
  void (*drop)(PluginRecording* recording);
  PluginStatus (*replay)(PluginBackend* backend, const PluginRecording* recording);
  PluginStatus (*graph_seconds)(PluginBackend* backend, double* seconds);
  void (*begin_range)(PluginBackend* backend, const char* name);
  void (*end_range)(PluginBackend* backend);
  PluginStatus (*event)(PluginBackend* backend, Event* event);
  PluginStatus (*synchronize)(PluginBackend* backend, Event event);
  /// Writes the id of a new group, and fails where it is longer than `capacity`. With a capacity of 0 nothing is made:
  /// it only tells whether there can be groups here.
  PluginStatus (*group_id)(char* text, std::int32_t capacity);
  PluginStatus (*join_group)(const PluginPlace* place, PluginGroup** group);
  void (*leave_group)(PluginGroup* group);
  PluginStatus (*join)(PluginBackend* backend, PluginGroup* group);
  PluginStatus (*sum_over_ranks)(PluginBackend* backend, float* memory, std::int64_t count);
  PluginStatus (*await_sums)(PluginBackend* backend);
  PluginStatus (*exposed_exchange_seconds)(PluginBackend* backend, double* seconds);
};

/// The function by which a plugin is entered: `extern "C" const PluginTable* regatta_engine_plugin()`.
inline constexpr const char* kPluginEntry = "regatta_engine_plugin";
using PluginEntry = const PluginTable* (*)();

/// Version, and digest of the headers that both sides of the boundary include.
const char* plugin_build_id();

}  // namespace regatta::engine
