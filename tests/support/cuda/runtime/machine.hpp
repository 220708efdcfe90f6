// The one state of the fake runtime: devices, streams, graphs, handles, what was ordered and what was complained of.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/cuda/runtime/enqueue.hpp"
#include "support/cuda/runtime/handles.hpp"
#include "support/cuda/runtime/memory.hpp"

namespace regatta::cuda_fakes {

struct Stream;

/// All work up to the `number`th of a stream.
struct Point {
  std::shared_ptr<Stream> stream;
  std::uint64_t number = 0;
};

struct Node {
  Work work;
  std::vector<std::size_t> after;  ///< nodes that come before it
};

struct Graph {
  std::vector<Node> nodes;
};

struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  const Stream* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread = std::this_thread::get_id();
  bool is_invalid = false, is_ended = false;
  std::string why = {};  ///< it is invalid
};

/// One piece of work in a stream; its run is empty where only order matters.
struct Item {
  Work work;
  std::vector<Point> waits = {};
  std::shared_ptr<double> passed_at = {};      ///< an event's time on the emulated clock
  std::shared_ptr<const Graph> graph = {};     ///< to run instead
  std::optional<std::uint64_t> checksum = {};  ///< checksum of the host memory to read, at the call
  bool is_asked = false;                       ///< whether it hangs
};

struct Stream {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  std::deque<Item> queue = {};
  std::uint64_t issued = 0, done = 0;
  bool is_hung = false, is_destroyed = false;
  std::shared_ptr<Capture> capture = {};
  std::vector<std::size_t> tips = {};  ///< nodes of the capture that its next one follows
};

struct Event {
  int device = 0;
  unsigned flags = 0;
  std::optional<Point> record = {};
  std::shared_ptr<double> passed_at = {};
  std::shared_ptr<Capture> capture = {};  ///< it was recorded in, with the nodes that it follows
  std::vector<std::size_t> tips = {};
};

struct Executable {
  std::shared_ptr<const Graph> graph;
};

struct Pool {
  int device = 0;
  std::uint64_t release_threshold = 0;  ///< bytes that it keeps when the host waits
  std::uint64_t maximum = 0;            ///< bytes; 0: what the device has
  std::uint64_t used = 0, reserved = 0, used_high = 0, reserved_high = 0;
};

struct Device {
  explicit Device(std::size_t memory_bytes) : memory(memory_bytes) {}
  DeviceMemory memory;
  std::shared_ptr<Stream> legacy = std::make_shared<Stream>();
  cudaMemPool_t default_pool = nullptr, current_pool = nullptr;
  std::uint64_t reserved_bytes = 0;  ///< by pools
  std::map<void*, std::pair<std::shared_ptr<Pool>, std::uint64_t>> pooled;
  cudaError_t sticky = cudaSuccess;
  std::string complaint;  ///< the complaint that made it sticky; empty: a fault was ordered
  double clock_seconds = 0;
};

struct Order {
  std::int32_t status = 0;
  std::int32_t after = 0;
};

/// The settings of the environment, which Control changes.
struct Settings {
  Orders orders = {};
  std::int32_t devices = 1;
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  std::int32_t driver = CUDART_VERSION;
  std::int32_t multiprocessors = 16;
  std::int32_t compute_capability = 90;
  Protection protection = Protection::sampled;
  std::vector<std::int32_t> visible = {};  ///< physical devices in the process's order; set where it is restricted
  bool is_restricted = false;
  std::multimap<std::string, Order> faults = {};
  std::multimap<std::string, std::int32_t> hangs = {};
};

/// How the random order behaves for some calls: devices that are ahead, behind, or stuck in one stream.
struct Mood {
  std::size_t most_steps = 1;  ///< pieces of work at a call
  const Stream* stuck = nullptr;
  std::size_t calls_left = 0;
};

struct Machine {
  Settings settings;
  std::vector<std::unique_ptr<Device>> devices;  ///< by the process's order
  Handles<Stream> streams{1};
  Handles<Event> events{2};
  Handles<Graph> graphs{3};
  Handles<Executable> executables{4};
  Handles<Pool> pools{5};
  Handles<int> library_handles{6};
  std::vector<std::shared_ptr<Stream>> all_streams;  ///< destroyed ones too, until their work is done
  std::map<char*, std::size_t> pinned;               ///< bytes by address; registered ones too
  std::map<char*, bool> is_registered;
  Counters counters{};
  GraphNodes nodes{};
  std::vector<std::string> complaints;
  std::string refusal;
  std::uint64_t random = 1;
  Mood mood = {};
  std::string running;  ///< name of the work that runs
  int running_device = -1;
  std::int64_t openings = 0;  ///< how often device memory was closed
};

std::recursive_mutex& machine_lock();
Machine& machine();

/// A fresh one, as the environment says.
void reset_machine();
/// Devices as the settings say; those from before are gone.
void make_devices(Machine& m);

/// REGATTA_EMULATED_CUDA and CUDA_VISIBLE_DEVICES. Ends the process where it does not understand them.
Settings settings_from_environment();

/// UUID of the `physical` device: the same in every process.
std::array<unsigned char, 16> uuid_of(int physical);
std::string uuid_text(int physical);

/// The device that this thread has set.
int& current_device();
Device& device_of(int index);

/// A number below `count`.
std::size_t random_below(Machine& m, std::size_t count);

/// Takes the fault that was ordered for this name, where its turn has come.
std::int32_t take_fault(Machine& m, const std::string& name);
bool take_hang(Machine& m, const std::string& name);

bool is_sticky(cudaError_t error);
/// From now on every call for the device fails.
void make_sticky(Device& device, cudaError_t error, const std::string& complaint);

/// Opens or closes device memory to this process, the latter as the protection says.
void open_memory(Machine& m);
void close_memory(Machine& m);

}  // namespace regatta::cuda_fakes
