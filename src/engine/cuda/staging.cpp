#include "engine/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

namespace regatta::engine::cuda {

namespace {

// Handed over at once: the device copies it while the host copies the next. A call takes the host some 4 us, and this
// many bytes some 100 us: small batches are one call, and large ones wait for the last of their parts alone.
constexpr std::size_t kPartBytes = std::size_t{1} << 20;

}  // namespace

void wait_for(cudaEvent_t event) {
  const cudaError_t error = cudaEventQuery(event);
  if (error == cudaErrorNotReady) {
    require(cudaEventSynchronize(event), "cudaEventSynchronize");
  } else {
    require(error, "cudaEventQuery");
  }
}

void Staging::copy(void* to, const void* host, std::int64_t bytes, cudaStream_t stream) {
  Piece& piece = pieces_[turn_];
  turn_ = 1 - turn_;
  if (piece.copied == nullptr) {
    piece.copied = make_event();
  } else {
    wait_for(piece.copied.get());
  }
  if (piece.bytes < bytes) {
    piece.bytes = 0;
    piece.memory = make_pinned(bytes);
    piece.bytes = bytes;
  }
  const auto size = static_cast<std::size_t>(bytes);
  std::byte* const pinned = piece.memory.get();
  for (std::size_t at = 0; at < size; at += kPartBytes) {
    const std::size_t count = std::min(kPartBytes, size - at);
    std::memcpy(pinned + at, static_cast<const char*>(host) + at, count);
    require(cudaMemcpyAsync(static_cast<char*>(to) + at, pinned + at, count, cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
  }
  require(cudaEventRecord(piece.copied.get(), stream), "cudaEventRecord");
}

}  // namespace regatta::engine::cuda
