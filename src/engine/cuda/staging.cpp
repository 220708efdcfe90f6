#include "engine/cuda/staging.hpp"

#include <cstring>

namespace regatta::engine::cuda {

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
  std::memcpy(piece.memory.get(), host, size);
  require(cudaMemcpyAsync(to, piece.memory.get(), size, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  require(cudaEventRecord(piece.copied.get(), stream), "cudaEventRecord");
}

}  // namespace regatta::engine::cuda
