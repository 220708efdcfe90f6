#include <thread>

#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {
namespace {

std::string end(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  const std::string answer = text(cudaStreamEndCapture(stream, &graph));
  if (graph) cudaGraphDestroy(graph);
  cudaGetLastError();
  return answer;
}

/// A call while the first stream is captured by this thread, and how the capture ends then.
template <class Call>
Case inside(const char* name, const char* expected, Call call, Agreement agreement = Agreement::exact) {
  return {std::string("capture: ") + name, expected,
          [call](Details&) {
            const Streams streams;
            const DeviceFloats device(4);
            cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
            const std::string answer = text(call(streams, device));
            return answer + ", then " + end(streams.first);
          },
          agreement};
}

constexpr const char* kUnsupported = "cudaErrorStreamCaptureUnsupported, then cudaErrorStreamCaptureInvalidated";

std::string unjoined(Details& /*details*/) {
  const Streams streams;
  const DeviceFloats device(4);
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(streams.event, streams.first);
  cudaStreamWaitEvent(streams.second, streams.event, 0);
  cudaMemsetAsync(device.data, 0, 4, streams.second);
  return end(streams.first);
}

std::string in_the_forked_stream(Details& /*details*/) {
  const Streams streams;
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(streams.event, streams.first);
  cudaStreamWaitEvent(streams.second, streams.event, 0);
  const std::string answer = end(streams.second);
  end(streams.first);
  return answer;
}

std::string by_another_thread(Details& /*details*/) {
  const Streams streams;
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
  std::string answer;
  std::thread([&] {
    cudaSetDevice(0);
    answer = end(streams.first);
  }).join();
  end(streams.first);
  return answer;
}

std::string from_outside(Details& /*details*/) {
  const Streams streams;
  cudaEventRecord(streams.event, streams.second);
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
  const std::string answer = text(cudaStreamWaitEvent(streams.first, streams.event, 0));
  return answer + ", then " + end(streams.first);
}

std::string captured_event(Details& /*details*/) {
  const Streams streams;
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(streams.event, streams.first);
  const std::string answer = text(cudaEventSynchronize(streams.event));
  end(streams.first);
  return answer;
}

std::string relaxed(Details& /*details*/) {
  const Streams streams;
  void* memory = nullptr;
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeRelaxed);
  const std::string answer = text(cudaMalloc(&memory, 4));
  const std::string ended = end(streams.first);
  cudaFree(memory);
  return answer + ", then " + ended;
}

std::string another_threads_allocation(Details& /*details*/) {
  const Streams streams;
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
  std::string answer;
  std::thread([&] {
    void* memory = nullptr;
    cudaSetDevice(0);
    answer = text(cudaMalloc(&memory, 4));
    cudaFree(memory);
  }).join();
  return answer + ", then " + end(streams.first);
}

/// Calls that a capture forbids, or does not mind.
std::vector<Case> calls_inside() {
  return {
      inside("cudaMalloc", kUnsupported,
             [](const Streams&, const DeviceFloats&) {
               void* memory = nullptr;
               return cudaMalloc(&memory, 4);
             }),
      inside("cudaMallocHost", kUnsupported,
             [](const Streams&, const DeviceFloats&) {
               void* memory = nullptr;
               return cudaMallocHost(&memory, 4);
             }),
      // The runtime makes a node of it, as of the copies below. Work that the engine captures neither allocates nor
      // stages.
      inside(
          "cudaMallocAsync", kUnsupported,
          [](const Streams& streams, const DeviceFloats&) {
            void* memory = nullptr;
            return cudaMallocAsync(&memory, 4, streams.first);
          },
          Agreement::fake_may_refuse),
      inside("cudaStreamSynchronize", kUnsupported,
             [](const Streams& streams, const DeviceFloats&) { return cudaStreamSynchronize(streams.first); }),
      inside("cudaStreamQuery", kUnsupported,
             [](const Streams& streams, const DeviceFloats&) { return cudaStreamQuery(streams.first); }),
      inside("cudaDeviceSynchronize", kUnsupported,
             [](const Streams&, const DeviceFloats&) { return cudaDeviceSynchronize(); }),
      inside(
          "cudaMemcpy", "cudaErrorStreamCaptureImplicit, then cudaErrorStreamCaptureInvalidated",
          [](const Streams&, const DeviceFloats& device) {
            float value = 0;
            return cudaMemcpy(&value, device.data, 4, cudaMemcpyDeviceToHost);
          },
          Agreement::fake_may_refuse),
      inside(
          "a copy from pageable memory", kUnsupported,
          [](const Streams& streams, const DeviceFloats& device) {
            const float value = 0;
            return cudaMemcpyAsync(device.data, &value, 4, cudaMemcpyHostToDevice, streams.first);
          },
          Agreement::fake_may_refuse),
      inside("a fill", "cudaSuccess, then cudaSuccess",
             [](const Streams& streams, const DeviceFloats& device) {
               return cudaMemsetAsync(device.data, 0, 4, streams.first);
             }),
      inside("an event of its own", "cudaSuccess, then cudaSuccess",
             [](const Streams& streams, const DeviceFloats&) { return cudaEventRecord(streams.event, streams.first); }),
      inside("work in a stream that is not captured", "cudaSuccess, then cudaSuccess",
             [](const Streams& streams, const DeviceFloats& device) {
               return cudaMemsetAsync(device.data, 0, 4, streams.second);
             }),
      inside("beginning it again", "cudaErrorIllegalState, then cudaSuccess",
             [](const Streams& streams, const DeviceFloats&) {
               return cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
             }),
  };
}

/// How captures end, and what else there is to them.
std::vector<Case> endings() {
  return {
      {"capture: relaxed, it allocates", "cudaSuccess, then cudaSuccess", relaxed},
      {"capture: of the legacy stream", "cudaErrorStreamCaptureUnsupported",
       [](Details&) { return text(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeThreadLocal)); }},
      {"capture: ending none", "cudaErrorIllegalState",
       [](Details&) {
         const Streams streams;
         return end(streams.first);
       }},
      {"capture: a fork that is not joined", "cudaErrorStreamCaptureUnjoined", unjoined},
      {"capture: ending it in a forked stream", "cudaErrorStreamCaptureUnmatched", in_the_forked_stream},
      {"capture: ending it in another thread", "cudaErrorStreamCaptureWrongThread", by_another_thread},
      {"capture: waiting for an event from outside",
       "cudaErrorStreamCaptureIsolation, then cudaErrorStreamCaptureInvalidated", from_outside},
      {"capture: the host waits for an event of it", "cudaErrorCapturedEvent", captured_event},
      {"capture: another thread allocates", "cudaSuccess, then cudaSuccess", another_threads_allocation},
  };
}

}  // namespace

std::vector<Case> capture_cases() {
  std::vector<Case> all = calls_inside();
  for (Case& one : endings()) all.push_back(std::move(one));
  return all;
}

}  // namespace regatta::gpu_contract
