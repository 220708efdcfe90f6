// The fake runtime's calls about streams and events.
#include <algorithm>

#include "support/cuda/runtime/call.hpp"
#include "support/cuda/runtime/graphs.hpp"
#include "support/cuda/runtime/streams.hpp"

namespace regatta::cuda_fakes {
namespace {

cudaError_t create_stream(Machine& m, cudaStream_t* stream, unsigned flags, int priority) {
  if (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) return cudaErrorInvalidValue;
  auto made = std::make_shared<Stream>();
  made->device = current_device();
  made->flags = flags;
  made->priority = priority;
  m.all_streams.push_back(made);
  *stream = m.streams.add<cudaStream_t>(std::move(made));
  return cudaSuccess;
}

cudaError_t no_stream() { return refused(cudaErrorInvalidResourceHandle, "no such stream, or destroyed"); }
cudaError_t no_event() { return refused(cudaErrorInvalidResourceHandle, "no such event, or destroyed"); }

cudaError_t record(Machine& m, cudaEvent_t handle, cudaStream_t in) {
  const auto event = m.events.find(handle);
  const auto stream = find_stream(m, in);
  if (!event) return no_event();
  if (!stream) return no_stream();
  if (event->device != stream->device) {
    return refused(cudaErrorInvalidResourceHandle, "event and stream belong to different devices");
  }
  if (stream->capture) {
    if (stream->capture->is_invalid) return refused(cudaErrorStreamCaptureInvalidated, "the capture is invalid");
    event->capture = stream->capture;
    event->tips = stream->tips;
    event->record.reset();
    return cudaSuccess;
  }
  event->capture = nullptr;
  event->passed_at = std::make_shared<double>(-1.0);
  Item item;
  item.work.name = "an event";
  item.passed_at = event->passed_at;
  issue(m, stream, std::move(item));
  event->record = Point{stream, stream->issued};
  return cudaSuccess;
}

/// A stream that waits for an event of a capture joins that capture.
cudaError_t wait_in_capture(Stream& stream, const Event& event) {
  if (event.capture->is_ended) return refused(cudaErrorCapturedEvent, "the event's capture has ended");
  if (event.capture->is_invalid) return refused(cudaErrorStreamCaptureInvalidated, "the event's capture is invalid");
  if (stream.capture && stream.capture != event.capture) {
    invalidate(*event.capture, "a stream of another capture waited for it");
    return broken(stream, cudaErrorStreamCaptureMerge, "the event is of another capture");
  }
  if (!stream.capture) {
    stream.capture = event.capture;
    stream.tips.clear();
  }
  for (const std::size_t tip : event.tips) {
    if (std::find(stream.tips.begin(), stream.tips.end(), tip) == stream.tips.end()) stream.tips.push_back(tip);
  }
  return cudaSuccess;
}

cudaError_t wait_event(Machine& m, cudaStream_t in, cudaEvent_t handle) {
  const auto event = m.events.find(handle);
  const auto stream = find_stream(m, in);
  if (!event) return no_event();
  if (!stream) return no_stream();
  if (event->capture) return wait_in_capture(*stream, *event);
  if (stream->capture) {
    return broken(*stream, cudaErrorStreamCaptureIsolation,
                  "a captured stream waits for an event from outside its capture");
  }
  if (!event->record) {
    complain("cudaStreamWaitEvent for an event that was never recorded: it waits for nothing");
    return cudaSuccess;  // as a device answers
  }
  if (is_passed(*event->record)) return cudaSuccess;
  Item item;
  item.work.name = "a wait";
  item.waits.push_back(*event->record);
  issue(m, stream, std::move(item));
  return cudaSuccess;
}

cudaError_t synchronize_event(Machine& m, cudaEvent_t handle) {
  const auto event = m.events.find(handle);
  if (!event) return no_event();
  ++m.counters.synchronizations;
  if (event->capture) {
    invalidate(*event->capture, "the host asked for an event of it");
    return refused(cudaErrorCapturedEvent, "the event was recorded in a captured stream");
  }
  if (is_forbidden_by_capture(m, "cudaEventSynchronize")) {
    return refused(cudaErrorStreamCaptureUnsupported, m.refusal);
  }
  if (!event->record) {
    complain("cudaEventSynchronize for an event that was never recorded: it waits for nothing");
    return cudaSuccess;
  }
  reach(m, *event->record);
  return waited(event->device);
}

cudaError_t query_event(Machine& m, cudaEvent_t handle) {
  const auto event = m.events.find(handle);
  if (!event) return no_event();
  if (event->capture) {
    invalidate(*event->capture, "the host asked for an event of it");
    return refused(cudaErrorCapturedEvent, "the event was recorded in a captured stream");
  }
  if (is_forbidden_by_capture(m, "cudaEventQuery")) return refused(cudaErrorStreamCaptureUnsupported, m.refusal);
  if (!event->record || is_passed(*event->record)) return device_of(event->device).sticky;
  // Asked often enough, a device gets on with its work, whatever the order.
  const Point& point = *event->record;
  if (!point.stream->is_hung && random_below(m, 4) == 0) reach_unless_hung(m, point);
  return is_passed(point) ? device_of(event->device).sticky : cudaErrorNotReady;
}

cudaError_t elapsed(Machine& m, float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  const auto begin = m.events.find(from);
  const auto end = m.events.find(to);
  if (!begin || !end || !begin->record || !end->record) {
    return refused(cudaErrorInvalidResourceHandle, "no such event, or never recorded");
  }
  if ((begin->flags | end->flags) & cudaEventDisableTiming) {
    return refused(cudaErrorInvalidResourceHandle, "the event was made without timing");
  }
  if (!is_passed(*begin->record) || !is_passed(*end->record)) return cudaErrorNotReady;
  *milliseconds = static_cast<float>((*end->passed_at - *begin->passed_at) * 1e3);
  return device_of(begin->device).sticky;
}

cudaError_t synchronize_stream(Machine& m, cudaStream_t handle) {
  const auto stream = find_stream(m, handle);
  if (!stream) return no_stream();
  ++m.counters.synchronizations;
  if (stream->capture) invalidate(*stream->capture, "cudaStreamSynchronize while it was captured");
  if (stream->capture || is_forbidden_by_capture(m, "cudaStreamSynchronize")) {
    return refused(cudaErrorStreamCaptureUnsupported, "cudaStreamSynchronize while a stream is captured");
  }
  reach(m, {stream, stream->issued});
  return waited(stream->device);
}

cudaError_t destroy_stream(Machine& m, cudaStream_t handle) {
  const auto stream = m.streams.find(handle);
  if (!stream) return no_stream();
  stream->is_destroyed = true;  // its work is done all the same
  if (stream->capture) invalidate(*stream->capture, "a stream of it was destroyed");
  m.streams.remove(handle);
  return cudaSuccess;
}

}  // namespace
}  // namespace regatta::cuda_fakes

using namespace regatta::cuda_fakes;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return call(__func__, Needs::device, [&](Machine& m) { return create_stream(m, stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call(__func__, Needs::device, [&](Machine& m) { return create_stream(m, stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call(__func__, Needs::device, [&](Machine& m) { return create_stream(m, stream, flags, priority); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto stream = find_stream(m, handle);
    if (!stream) return no_stream();
    *priority = stream->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto stream = find_stream(m, handle);
    if (!stream) return no_stream();
    *flags = stream->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) { return destroy_stream(m, stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) { return synchronize_stream(m, stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto stream = find_stream(m, handle);
    if (!stream) return no_stream();
    if (stream->capture) invalidate(*stream->capture, "cudaStreamQuery while it was captured");
    if (stream->capture || is_forbidden_by_capture(m, "cudaStreamQuery")) {
      return refused(cudaErrorStreamCaptureUnsupported, "cudaStreamQuery while a stream is captured");
    }
    if (random_below(m, 4) == 0) reach_unless_hung(m, {stream, stream->issued});
    return stream->done == stream->issued ? device_of(stream->device).sticky : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call(__func__, Needs::device, [&](Machine& m) {
    if (flags != 0) return refused(cudaErrorNotSupported, "the fake knows no flags of cudaStreamWaitEvent");
    return wait_event(m, stream, event);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  Work work{"cudaLaunchHostFunc", WorkKind::host, [=] { function(data); }};
  return call(__func__, Needs::device, [&](Machine&) { return enqueue(stream, std::move(work)); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call(__func__, Needs::device, [&](Machine& m) {
    auto made = std::make_shared<Event>();
    made->device = current_device();
    made->flags = flags;
    *event = m.events.add<cudaEvent_t>(std::move(made));
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(__func__, Needs::device, [&](Machine& m) { return m.events.remove(event) ? cudaSuccess : no_event(); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) { return record(m, event, stream); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call(__func__, Needs::device, [&](Machine& m) { return query_event(m, event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call(__func__, Needs::device, [&](Machine& m) { return synchronize_event(m, event); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return call(__func__, Needs::device, [&](Machine& m) { return elapsed(m, milliseconds, from, to); });
}

}  // extern "C"
