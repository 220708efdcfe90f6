#include <cmath>

#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {
namespace {

std::string ordered_by_an_event(Details& /*details*/) {
  const Streams streams;
  const PinnedFloats host(1);
  const DeviceFloats one(1);
  const DeviceFloats two(1);
  *host.data = 5;
  cudaMemcpyAsync(one.data, host.data, 4, cudaMemcpyHostToDevice, streams.second);
  cudaEventRecord(streams.event, streams.second);
  cudaStreamWaitEvent(streams.first, streams.event, 0);
  cudaMemcpyAsync(two.data, one.data, 4, cudaMemcpyDeviceToDevice, streams.first);
  cudaStreamSynchronize(streams.first);
  return text(two.read()[0] == 5);
}

std::string host_function(Details& /*details*/) {
  const Streams streams;
  const PinnedFloats pinned(1);
  DeviceFloats device(1);
  device.write({7});
  struct Seen {
    const float* from;
    float value;
  } seen{pinned.data, 0};
  cudaMemcpyAsync(pinned.data, device.data, 4, cudaMemcpyDeviceToHost, streams.first);
  cudaLaunchHostFunc(
      streams.first,
      [](void* data) {
        auto* const note = static_cast<Seen*>(data);
        note->value = *note->from;
      },
      &seen);
  cudaStreamSynchronize(streams.first);
  return text(seen.value == 7);
}

cudaError_t elapsed(unsigned flags, bool is_recorded, Details& details) {
  const Streams streams;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  cudaEventCreateWithFlags(&begin, flags);
  cudaEventCreateWithFlags(&end, flags);
  if (is_recorded) {
    cudaEventRecord(begin, streams.first);
    cudaEventRecord(end, streams.first);
    cudaEventSynchronize(end);
  }
  float milliseconds = std::nanf("");
  const cudaError_t error = cudaEventElapsedTime(&milliseconds, begin, end);
  if (error == cudaSuccess) details["milliseconds between two events"] = std::to_string(milliseconds);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaGetLastError();
  return error;
}

}  // namespace

std::vector<Case> stream_cases() {
  return {
      {"stream: events order streams", "yes", ordered_by_an_event},
      {"stream: unknown flags", "cudaErrorInvalidValue",
       [](Details&) {
         cudaStream_t stream = nullptr;
         return text(cudaStreamCreateWithFlags(&stream, 4));
       }},
      {"stream: with a priority", "cudaSuccess",
       [](Details&) {
         cudaStream_t stream = nullptr;
         const std::string answer = text(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0));
         cudaStreamDestroy(stream);
         return answer;
       }},
      {"stream: an idle one is ready", "cudaSuccess",
       [](Details&) {
         const Streams streams;
         return text(cudaStreamQuery(streams.first));
       }},
      {"stream: an event that was never recorded is passed", "cudaSuccess",
       [](Details&) {
         const Streams streams;
         return text(cudaEventQuery(streams.event));
       }},
      {"stream: waiting for an event that was never recorded", "cudaSuccess",
       [](Details&) {
         const Streams streams;
         return text(cudaStreamWaitEvent(streams.first, streams.event, 0));
       }},
      {"stream: functions of the host come in order", "yes", host_function},
      {"stream: time between events", "cudaSuccess",
       [](Details& details) { return text(elapsed(cudaEventDefault, true, details)); }},
      {"stream: time of events made without timing", "cudaErrorInvalidResourceHandle",
       [](Details& details) { return text(elapsed(cudaEventDisableTiming, true, details)); }},
      {"stream: time of events that were never recorded", "cudaErrorInvalidResourceHandle",
       [](Details& details) { return text(elapsed(cudaEventDefault, false, details)); }},
  };
}

}  // namespace regatta::gpu_contract
