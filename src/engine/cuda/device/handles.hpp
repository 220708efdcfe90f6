// Handles of the CUDA runtime that destroy themselves. A destructor does not wait for the device and tells no error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "engine/cuda/device/check.hpp"

namespace regatta::engine::cuda {

struct DestroyStream {
  void operator()(cudaStream_t stream) const noexcept { static_cast<void>(cudaStreamDestroy(stream)); }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const noexcept { static_cast<void>(cudaEventDestroy(event)); }
};
struct DestroyGraph {
  void operator()(cudaGraph_t graph) const noexcept { static_cast<void>(cudaGraphDestroy(graph)); }
};
struct DestroyGraphExec {
  void operator()(cudaGraphExec_t graph) const noexcept { static_cast<void>(cudaGraphExecDestroy(graph)); }
};
struct FreePinned {
  void operator()(std::byte* memory) const noexcept { static_cast<void>(cudaFreeHost(memory)); }
};

using Stream = std::unique_ptr<CUstream_st, DestroyStream>;
using EventHandle = std::unique_ptr<CUevent_st, DestroyEvent>;
using Graph = std::unique_ptr<CUgraph_st, DestroyGraph>;
using GraphExec = std::unique_ptr<CUgraphExec_st, DestroyGraphExec>;
using Pinned = std::unique_ptr<std::byte, FreePinned>;

/// A stream that does not wait for the legacy default stream.
inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(stream);
}

/// An event that keeps no time: it costs less.
inline EventHandle make_event() {
  cudaEvent_t event = nullptr;
  require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return EventHandle(event);
}

inline EventHandle make_timed_event() {
  cudaEvent_t event = nullptr;
  require(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
  return EventHandle(event);
}

/// Host memory that copies reach without staging. Throws std::bad_alloc.
inline Pinned make_pinned(std::int64_t bytes) {
  void* memory = nullptr;
  require(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)), "cudaMallocHost");
  return Pinned(static_cast<std::byte*>(memory));
}

}  // namespace regatta::engine::cuda
