#include "support/cuda/runtime/streams.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "support/cuda/runtime/graphs.hpp"

namespace regatta::cuda_fakes {
namespace {

constexpr std::size_t kLargestChecked = std::size_t{4} << 20;  // bytes; digests of more would take too long

constexpr int kPauseMicroseconds = 200;  // between two looks at what other processes do
constexpr int kMostPauses = 18'000'000;  // an hour

/// The bytes that a copy from the host reads, where they may be told from those at the call.
const Range* host_source(const Machine& m, const Work& work) {
  for (const Range& range : work.ranges) {
    if (range.is_written || range.bytes > kLargestChecked || device_that_owns(m, range.memory) >= 0) continue;
    if (why_not_pinned(m, range.memory, range.bytes).empty()) return &range;
  }
  return nullptr;
}

void check_source(Machine& m, const Item& item) {
  if (!item.checksum) return;
  const Range* const range = host_source(m, item.work);
  if (range && checksum(range->memory, range->bytes) != *item.checksum) {
    complain(item.work.name + ": the host changed pinned memory between the call and the copy");
  }
}

void finish(Stream& stream, const Item& item) {
  ++stream.done;
  if (item.passed_at) *item.passed_at = device_of(stream.device).clock_seconds;
}

void run_front(Machine& m, Stream& stream) {
  const Item item = std::move(stream.queue.front());
  stream.queue.pop_front();
  const Device& device = device_of(stream.device);
  if (device.sticky == cudaSuccess) check_source(m, item);
  if (device.sticky == cudaSuccess) {
    if (item.graph) {
      run_graph(m, stream.device, *item.graph);
    } else if (item.work.run || item.work.kind == WorkKind::empty) {
      perform(m, stream.device, item.work);
    }
  }
  finish(stream, item);
}

/// Whether other processes have done their part of the work at the front.
bool others_are_ready(Machine& m, const Stream& stream) {
  const Work& work = stream.queue.front().work;
  if (!work.is_ready || device_of(stream.device).sticky != cudaSuccess) return true;
  open_memory(m);
  return work.is_ready();
}

bool hangs_at_front(Machine& m, Stream& stream) {
  if (!stream.is_hung && !stream.queue.front().is_asked) {
    Item& front = stream.queue.front();
    front.is_asked = true;
    stream.is_hung = !front.work.name.empty() && take_hang(m, front.work.name);
    for (std::size_t i = 0; front.graph && !stream.is_hung && i < front.graph->nodes.size(); ++i) {
      stream.is_hung = take_hang(m, front.graph->nodes[i].work.name);
    }
  }
  return stream.is_hung || !others_are_ready(m, stream);
}

bool is_ready(Machine& m, Stream& stream) {
  if (stream.is_hung || stream.queue.empty()) return false;
  const auto& waits = stream.queue.front().waits;
  return std::all_of(waits.begin(), waits.end(), is_passed) && !hangs_at_front(m, stream);
}

/// One item of a stream that can go on, at random; false: none can.
bool step_at_random(Machine& m) {
  std::vector<std::shared_ptr<Stream>> ready;
  std::erase_if(m.all_streams, [](const auto& stream) { return stream->is_destroyed && stream->queue.empty(); });
  for (const auto& stream : m.all_streams) {
    if (stream.get() != m.mood.stuck && is_ready(m, *stream)) ready.push_back(stream);
  }
  if (ready.empty()) return false;
  run_front(m, *ready[random_below(m, ready.size())]);
  return true;
}

/// In one mood nothing runs until somebody waits, in others a stream makes no headway or all do.
void renew_mood(Machine& m) {
  if (m.mood.calls_left-- > 0) return;
  constexpr std::size_t kMostSteps[] = {0, 0, 1, 2, 4};
  m.mood.most_steps = kMostSteps[random_below(m, std::size(kMostSteps))];
  m.mood.calls_left = random_below(m, 64);
  const std::size_t stuck = random_below(m, 2 * m.all_streams.size());
  m.mood.stuck = stuck < m.all_streams.size() ? m.all_streams[stuck].get() : nullptr;
}

/// Runs the work that the point needs and nothing else; false: a kernel hangs.
bool reach_directly(Machine& m, const Point& point) {
  Stream& stream = *point.stream;
  while (stream.done < point.number) {
    const auto waits = stream.queue.front().waits;
    for (const Point& wait : waits) {
      if (!reach_directly(m, wait)) return false;
    }
    if (hangs_at_front(m, stream)) return false;
    run_front(m, stream);
  }
  return true;
}

void add_legacy_waits(Machine& m, const Stream& stream, Item& item) {
  const auto wait_for = [&](const std::shared_ptr<Stream>& other) {
    if (other->done < other->issued) item.waits.push_back({other, other->issued});
  };
  const Device& device = device_of(stream.device);
  if (device.legacy.get() != &stream) {
    if (!(stream.flags & cudaStreamNonBlocking)) wait_for(device.legacy);
    return;
  }
  for (const auto& other : m.all_streams) {
    const bool is_blocking = other->device == stream.device && !(other->flags & cudaStreamNonBlocking);
    if (is_blocking && other.get() != &stream) wait_for(other);
  }
}

void count_copy(Machine& m, const Work& work) {
  bool from_device = true;
  bool to_device = true;
  for (const Range& range : work.ranges) {
    (range.is_written ? to_device : from_device) = device_that_owns(m, range.memory) >= 0;
  }
  Counters& c = m.counters;
  ++(from_device && to_device ? c.copies_on_device : to_device ? c.copies_to_device : c.copies_to_host);
  (from_device && to_device ? c.bytes_on_device : to_device ? c.bytes_to_device : c.bytes_to_host) += work.bytes;
}

void count(Machine& m, Device& device, const Work& work) {
  constexpr double kLaunchSeconds = 2e-6;
  constexpr double kFlopPerSecond = 5e13;
  constexpr double kBytesPerSecond = 4e12;
  Counters& c = m.counters;
  if (work.kind == WorkKind::kernel) ++c.kernels;
  if (work.kind == WorkKind::product) ++c.products;
  if (work.kind == WorkKind::convolution) ++c.convolutions;
  if (work.kind == WorkKind::fill) ++c.fills;
  if (work.kind == WorkKind::copy) count_copy(m, work);
  c.flop += work.flop;
  const double told =
      static_cast<double>(work.flop) / kFlopPerSecond + static_cast<double>(work.bytes) / kBytesPerSecond;
  device.clock_seconds += kLaunchSeconds + (work.seconds > 0 ? work.seconds : told);
}

void check_ranges(Machine& m, const Work& work) {
  for (const Range& range : work.ranges) {
    if (range.bytes == 0) continue;
    const int owner = device_that_owns(m, range.memory);
    const std::string why = owner >= 0 ? device_of(owner).memory.why_not(range.memory, range.bytes)
                                       : why_not_pinned(m, range.memory, range.bytes);
    if (!why.empty()) complain(work.name + ": " + range.what + ": " + why);
  }
}

/// At other times memory is looked over when it is freed, and at the end.
void check_damage(const Machine& m, Device& device, const Work& work) {
  if (m.settings.protection != Protection::on || work.kind != WorkKind::kernel) return;
  if (const std::string damage = device.memory.damage(); !damage.empty()) complain(work.name + ": " + damage);
}

}  // namespace

std::shared_ptr<Stream> find_stream(Machine& m, cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return device_of(current_device()).legacy;
  return m.streams.find(handle);
}

bool is_legacy(const Machine& m, const Stream& stream) {
  return std::any_of(m.devices.begin(), m.devices.end(), [&](const auto& d) { return d->legacy.get() == &stream; });
}

bool is_passed(const Point& point) { return point.stream->done >= point.number; }

void issue(Machine& m, const std::shared_ptr<Stream>& stream, Item item) {
  add_legacy_waits(m, *stream, item);
  if (const Range* const source = item.work.kind == WorkKind::copy ? host_source(m, item.work) : nullptr) {
    item.checksum = checksum(source->memory, source->bytes);
  }
  stream->queue.push_back(std::move(item));
  ++stream->issued;
  const StreamOrder order = m.settings.orders.streams;
  if (order == StreamOrder::early) {
    while (is_ready(m, *stream)) run_front(m, *stream);
  } else if (order == StreamOrder::random) {
    renew_mood(m);
    for (std::size_t left = random_below(m, m.mood.most_steps + 1); left > 0 && step_at_random(m); --left) {
    }
  }
}

void reach(Machine& m, const Point& point) {
  const Point held = point;
  if (m.settings.orders.streams == StreamOrder::random) {
    m.mood.calls_left = 0;
    while (!is_passed(held) && step_at_random(m)) {
    }
  }
  // A real device would not come back from a kernel that hangs either: the end is for a machine that nobody looks
  // after.
  for (int pauses = 0; !reach_directly(m, held); ++pauses) {
    if (pauses < kMostPauses) {
      usleep(kPauseMicroseconds);
      continue;
    }
    std::fprintf(stderr, "emulated CUDA: a kernel does not end and nobody ended this process for an hour\n");
    std::abort();
  }
}

void reach_unless_hung(Machine& m, const Point& point) {
  const Point held = point;
  reach_directly(m, held);
}

void reach_all(Machine& m, int device) {
  std::vector<Point> points;
  for (const auto& stream : m.all_streams) {
    if (stream->device == device) points.push_back({stream, stream->issued});
  }
  for (const Point& point : points) reach(m, point);
}

void perform(Machine& m, int device, const Work& work) {
  Device& on = device_of(device);
  m.running_device = device;
  check_ranges(m, work);
  // Other work met its fault at the call, which has the same name.
  const std::int32_t status = work.kind == WorkKind::kernel ? take_fault(m, work.name) : 0;
  if (status != 0) make_sticky(on, static_cast<cudaError_t>(status), "");
  if (on.sticky == cudaSuccess && work.run) {
    work.kind == WorkKind::host ? close_memory(m) : open_memory(m);
    m.running = work.name;
    try {
      work.run();
    } catch (const std::exception& problem) {
      complain(work.name + ": " + problem.what());
    }
    m.running.clear();
    check_damage(m, on, work);
  }
  m.running_device = -1;
  count(m, on, work);
}

std::uint64_t checksum(const void* memory, std::size_t bytes) {
  std::uint64_t sum = 0x9e3779b97f4a7c15ULL;
  const auto* const from = static_cast<const unsigned char*>(memory);
  std::size_t at = 0;
  for (; at + 8 <= bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + at, 8);
    sum = (sum ^ word) * 0xff51afd7ed558ccdULL;
    sum ^= sum >> 32;
  }
  for (; at < bytes; ++at) sum = (sum ^ from[at]) * 1099511628211ULL;
  return sum;
}

std::string why_not_pinned(const Machine& m, const void* memory, std::size_t bytes) {
  char* const address = static_cast<char*>(const_cast<void*>(memory));
  if (address == nullptr) return "null pointer";
  auto found = m.pinned.upper_bound(address);
  if (found == m.pinned.begin()) return "host memory that is not pinned";
  --found;
  if (address + bytes > found->first + found->second) {
    return address < found->first + found->second ? "past the end of pinned memory" : "host memory that is not pinned";
  }
  return "";
}

int device_that_owns(const Machine& m, const void* memory) {
  for (std::size_t i = 0; i < m.devices.size(); ++i) {
    if (m.devices[i]->memory.owns(memory)) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace regatta::cuda_fakes
