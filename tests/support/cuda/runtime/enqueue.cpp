#include "support/cuda/runtime/enqueue.hpp"

#include <algorithm>

#include "support/cuda/runtime/call.hpp"
#include "support/cuda/runtime/graphs.hpp"
#include "support/cuda/runtime/streams.hpp"

namespace regatta::cuda_fakes {
namespace {

cudaError_t enqueue_into(Machine& m, const std::shared_ptr<Stream>& stream, Work work) {
  if (stream->device != current_device()) {
    return refused(cudaErrorInvalidResourceHandle, work.name + ": the stream belongs to device " +
                                                       std::to_string(stream->device) + ", the current one is " +
                                                       std::to_string(current_device()));
  }
  if (stream->capture) {
    if (stream->capture->is_invalid) {
      return refused(cudaErrorStreamCaptureInvalidated, work.name + ": the capture of its stream is invalid");
    }
    capture_work(*stream, std::move(work));
    return cudaSuccess;
  }
  if (is_legacy(m, *stream)) {
    complain(work.name + " was issued into the legacy default stream, which does not wait for non-blocking streams");
    return device_of(stream->device).sticky;
  }
  if (work.kind != WorkKind::copy && work.kind != WorkKind::fill && work.kind != WorkKind::host) ++m.counters.launches;
  Item item;
  item.work = std::move(work);
  issue(m, stream, std::move(item));
  return cudaSuccess;
}

}  // namespace

cudaError_t enqueue(cudaStream_t stream, Work work) {
  const std::lock_guard lock(machine_lock());
  Machine& m = machine();
  const char* const call = work.kind == WorkKind::kernel ? "cudaLaunchKernelExC" : "";
  if (const cudaError_t stopped = begin_call(m, call, Needs::device); stopped != cudaSuccess)
    return end_call(m, stopped);
  const auto into = find_stream(m, stream);
  if (!into) return end_call(m, refused(cudaErrorInvalidResourceHandle, work.name + ": no such stream, or destroyed"));
  return end_call(m, enqueue_into(m, into, std::move(work)));
}

cudaError_t enqueue(cudaStream_t stream, std::string name, std::function<void()> work) {
  return enqueue(stream, Work{std::move(name), WorkKind::kernel, std::move(work)});
}

void complain(const std::string& what) {
  const std::lock_guard lock(machine_lock());
  Machine& m = machine();
  if (std::find(m.complaints.begin(), m.complaints.end(), what) == m.complaints.end()) m.complaints.push_back(what);
  const int device = m.running_device >= 0 ? m.running_device : current_device();
  if (static_cast<std::size_t>(device) < m.devices.size())
    make_sticky(device_of(device), cudaErrorIllegalAddress, what);
}

void refuse(const std::string& why) {
  const std::lock_guard lock(machine_lock());
  machine().refusal = why;
}

int ordered_fault(const char* function) {
  const std::lock_guard lock(machine_lock());
  return take_fault(machine(), function);
}

cudaError_t sticky_error() {
  const std::lock_guard lock(machine_lock());
  Machine& m = machine();
  const auto device = static_cast<std::size_t>(current_device());
  return device < m.devices.size() ? m.devices[device]->sticky : cudaSuccess;
}

bool is_capturing(cudaStream_t stream) {
  const std::lock_guard lock(machine_lock());
  const auto found = find_stream(machine(), stream);
  return found && found->capture;
}

std::string why_not_device_memory(const void* memory, std::size_t bytes) {
  const std::lock_guard lock(machine_lock());
  Machine& m = machine();
  const int owner = device_that_owns(m, memory);
  return owner >= 0 ? device_of(owner).memory.why_not(memory, bytes) : why_not_pinned(m, memory, bytes);
}

void* make_library_handle() {
  const std::lock_guard lock(machine_lock());
  return machine().library_handles.add<void*>(std::make_shared<int>(current_device()));
}

bool is_library_handle(const void* handle) {
  const std::lock_guard lock(machine_lock());
  return machine().library_handles.find(handle) != nullptr;
}

bool drop_library_handle(const void* handle) {
  const std::lock_guard lock(machine_lock());
  return machine().library_handles.remove(handle);
}

void count_heuristic() {
  const std::lock_guard lock(machine_lock());
  ++machine().counters.heuristics;
}

}  // namespace regatta::cuda_fakes
