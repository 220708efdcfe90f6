// The memory of a device that one backend holds: pieces of a pool that grows, or of one block taken at the start.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "engine/cuda/cuda.hpp"
#include "regatta/engine/plugin.hpp"

namespace regatta::engine::cuda {

class MemoryPieces {
 public:
  /// `limit_bytes`: at most so many are held; 0: what the device has free. Work in `stream` is what uses the memory.
  /// Throws std::bad_alloc.
  MemoryPieces(DeviceMemory kind, std::int64_t limit_bytes, int device, cudaStream_t stream);
  ~MemoryPieces();
  MemoryPieces(const MemoryPieces&) = delete;
  MemoryPieces& operator=(const MemoryPieces&) = delete;

  /// Uninitialised, aligned to 256 bytes, for work that enters the stream from now on. Throws std::bad_alloc.
  void* allocate(std::int64_t bytes);

  /// Behind all work that entered the stream; null is nothing.
  void release(void* memory) noexcept;

  /// Bytes that the device cannot give to others.
  [[nodiscard]] std::int64_t held_bytes() const;

 private:
  void make_pool(int device);
  void take_block();

  std::int64_t limit_bytes_;
  cudaStream_t stream_;
  cudaMemPool_t pool_ = nullptr;
  std::int64_t pieces_bytes_ = 0;                   ///< all pieces of the pool
  std::unordered_map<void*, std::int64_t> pieces_;  ///< the pool's, and their bytes
  char* block_ = nullptr;                           ///< instead of a pool
  std::optional<Suballocator> parts_;               ///< the block's
};

}  // namespace regatta::engine::cuda
