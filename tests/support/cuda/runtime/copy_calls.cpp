// The fake runtime's copies and fills. Pageable memory is staged, as the driver does it: to the device it is read at
// the call, to the host the call waits.
#include <cstring>
#include <vector>

#include "support/cuda/runtime/call.hpp"
#include "support/cuda/runtime/graphs.hpp"
#include "support/cuda/runtime/streams.hpp"

namespace regatta::cuda_fakes {
namespace {

struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
  bool is_from_device = false, is_to_device = false;
};

/// The reason why the call refuses at once; empty: none.
std::string why_not_copied(const Machine& m, const Copy& copy, cudaMemcpyKind kind) {
  if (!copy.to || !copy.from) return "a null pointer";
  const bool is_right = kind == cudaMemcpyDefault ||
                        (kind == cudaMemcpyHostToDevice && copy.is_to_device && !copy.is_from_device) ||
                        (kind == cudaMemcpyDeviceToHost && !copy.is_to_device && copy.is_from_device) ||
                        (kind == cudaMemcpyDeviceToDevice && copy.is_to_device && copy.is_from_device) ||
                        (kind == cudaMemcpyHostToHost && !copy.is_to_device && !copy.is_from_device);
  if (!is_right) return "direction and pointers disagree";
  for (const void* memory : {static_cast<const void*>(copy.to), copy.from}) {
    const int owner = device_that_owns(m, memory);
    if (owner < 0) continue;
    const std::string why = device_of(owner).memory.why_not(memory, copy.bytes);
    const Allocation* const allocation = device_of(owner).memory.find(memory);
    if (!why.empty() && !(allocation && !allocation->is_usable)) return why;
  }
  return "";
}

Copy make_copy(const Machine& m, void* to, const void* from, std::size_t bytes) {
  return {to, from, bytes, device_that_owns(m, from) >= 0, device_that_owns(m, to) >= 0};
}

Work work_of(const Copy& copy, const char* name) {
  return {name,
          WorkKind::copy,
          [copy] { std::memmove(copy.to, copy.from, copy.bytes); },
          {{copy.from, copy.bytes, false, "source"}, {copy.to, copy.bytes, true, "destination"}},
          0,
          static_cast<std::int64_t>(copy.bytes)};
}

/// The bytes of pageable memory are taken now; what the host does with it later changes nothing.
Work staged_work_of(const Copy& copy, const char* name) {
  const auto* const first = static_cast<const char*>(copy.from);
  std::vector<char> bytes(first, first + copy.bytes);
  return {name,
          WorkKind::copy,
          [to = copy.to, bytes = std::move(bytes)] { std::memcpy(to, bytes.data(), bytes.size()); },
          {{copy.to, copy.bytes, true, "destination"}},
          0,
          static_cast<std::int64_t>(copy.bytes)};
}

/// To pageable memory: checked like other work but for the destination, which is the host's.
Work work_to_pageable(const Copy& copy, const char* name) {
  Work work = work_of(copy, name);
  work.ranges.pop_back();
  return work;
}

cudaError_t copy_in_capture(Machine& m, Stream& stream, const Copy& copy, bool is_pageable, const char* name) {
  if (stream.capture->is_invalid) return refused(cudaErrorStreamCaptureInvalidated, "the capture is invalid");
  if (is_pageable) {
    return broken(stream, cudaErrorStreamCaptureUnsupported, "a copy of pageable memory in a captured stream");
  }
  static_cast<void>(m);
  capture_work(stream, work_of(copy, name));
  return cudaSuccess;
}

cudaError_t copy_async(Machine& m, const Copy& copy, cudaMemcpyKind kind, cudaStream_t in, const char* name) {
  const auto stream = find_stream(m, in);
  if (!stream) return refused(cudaErrorInvalidResourceHandle, "no such stream, or destroyed");
  if (copy.bytes == 0) return cudaSuccess;
  if (const auto why = why_not_copied(m, copy, kind); !why.empty()) return refused(cudaErrorInvalidValue, why);
  const bool reads_pageable = !copy.is_from_device && !why_not_pinned(m, copy.from, copy.bytes).empty();
  const bool writes_pageable = !copy.is_to_device && !why_not_pinned(m, copy.to, copy.bytes).empty();
  if (stream->capture) return copy_in_capture(m, *stream, copy, reads_pageable || writes_pageable, name);
  if (is_legacy(m, *stream) && std::strcmp(name, "cudaMemcpy") != 0) {
    complain(std::string(name) + " was issued into the legacy default stream");
    return device_of(stream->device).sticky;
  }
  Item item;
  item.work = reads_pageable    ? staged_work_of(copy, name)
              : writes_pageable ? work_to_pageable(copy, name)
                                : work_of(copy, name);
  // A reader of the result who did not wait for it reads NaN.
  if (!copy.is_to_device && !writes_pageable) std::memset(copy.to, 0xff, copy.bytes);
  issue(m, stream, std::move(item));
  if (!writes_pageable) return cudaSuccess;
  ++m.counters.synchronizations;
  reach(m, {stream, stream->issued});
  return waited(stream->device);
}

cudaError_t fill_async(Machine& m, void* memory, int value, std::size_t bytes, cudaStream_t in, const char* name) {
  const auto stream = find_stream(m, in);
  if (!stream) return refused(cudaErrorInvalidResourceHandle, "no such stream, or destroyed");
  if (bytes == 0) return cudaSuccess;
  if (device_that_owns(m, memory) < 0) return refused(cudaErrorInvalidValue, "not the device's memory");
  Work work{name,
            WorkKind::fill,
            [=] { std::memset(memory, value, bytes); },
            {{memory, bytes, true, "destination"}},
            0,
            static_cast<std::int64_t>(bytes)};
  if (stream->capture) {
    if (stream->capture->is_invalid) return refused(cudaErrorStreamCaptureInvalidated, "the capture is invalid");
    capture_work(*stream, std::move(work));
    return cudaSuccess;
  }
  if (is_legacy(m, *stream) && std::strcmp(name, "cudaMemset") != 0) {
    complain(std::string(name) + " was issued into the legacy default stream");
    return device_of(stream->device).sticky;
  }
  Item item;
  item.work = std::move(work);
  issue(m, stream, std::move(item));
  return cudaSuccess;
}

}  // namespace
}  // namespace regatta::cuda_fakes

using namespace regatta::cuda_fakes;

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) {
    return copy_async(m, make_copy(m, to, from, bytes), kind, stream, "cudaMemcpyAsync");
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call(__func__, Needs::device, [&](Machine& m) {
    if (is_forbidden_by_capture(m, "cudaMemcpy")) return refused(cudaErrorStreamCaptureImplicit, m.refusal);
    const cudaError_t error = copy_async(m, make_copy(m, to, from, bytes), kind, cudaStreamLegacy, "cudaMemcpy");
    if (error != cudaSuccess) return error;
    const auto& legacy = device_of(current_device()).legacy;
    ++m.counters.synchronizations;
    reach(m, {legacy, legacy->issued});
    return waited(current_device());
  });
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return call(__func__, Needs::device,
              [&](Machine& m) { return fill_async(m, memory, value, bytes, stream, "cudaMemsetAsync"); });
}

cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return call(__func__, Needs::device, [&](Machine& m) {
    if (is_forbidden_by_capture(m, "cudaMemset")) return refused(cudaErrorStreamCaptureImplicit, m.refusal);
    return fill_async(m, memory, value, bytes, cudaStreamLegacy, "cudaMemset");
  });
}

}  // extern "C"
