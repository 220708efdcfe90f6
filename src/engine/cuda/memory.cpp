#include "engine/cuda/memory.hpp"

#include <limits>
#include <new>

#include "engine/cuda/device/check.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kPieceAlignment = 256;  // bytes, as cudaMalloc's
// The share of what is free where no limit is given: the other arms of a comparison, and libraries, find some too.
constexpr double kPreallocatedShare = 0.75;

std::int64_t free_bytes() {
  std::size_t free = 0, total = 0;
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free);
}

}  // namespace

MemoryPieces::MemoryPieces(DeviceMemory kind, std::int64_t limit_bytes, int device, cudaStream_t stream)
    : limit_bytes_(limit_bytes), stream_(stream) {
  if (kind == DeviceMemory::grow) {
    make_pool(device);
  } else {
    take_block();
  }
}

void MemoryPieces::make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  require(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
  std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();  // freed memory stays in the pool for the next step
  const cudaError_t error = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep);
  if (error == cudaSuccess) return;
  static_cast<void>(cudaMemPoolDestroy(pool_));
  require(error, "cudaMemPoolSetAttribute");
}

void MemoryPieces::take_block() {
  if (limit_bytes_ == 0)
    limit_bytes_ = static_cast<std::int64_t>(kPreallocatedShare * static_cast<double>(free_bytes()));
  void* block = nullptr;
  require(cudaMalloc(&block, static_cast<std::size_t>(limit_bytes_)), "cudaMalloc");
  block_ = static_cast<char*>(block);
  parts_.emplace(limit_bytes_, kPieceAlignment);
}

MemoryPieces::~MemoryPieces() {
  for (const auto& [memory, bytes] : pieces_) static_cast<void>(cudaFreeAsync(memory, stream_));
  if (!pieces_.empty()) static_cast<void>(cudaStreamSynchronize(stream_));  // the next user finds the memory free
  if (pool_ != nullptr) static_cast<void>(cudaMemPoolDestroy(pool_));
  if (block_ != nullptr) static_cast<void>(cudaFree(block_));
}

void* MemoryPieces::allocate(std::int64_t bytes) {
  if (parts_) {
    const auto offset = parts_->take(bytes);
    if (!offset) throw std::bad_alloc();
    return block_ + *offset;
  }
  const std::int64_t size =
      bytes > 0 ? (bytes + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment : kPieceAlignment;
  if (limit_bytes_ > 0 && size > limit_bytes_ - pieces_bytes_) throw std::bad_alloc();
  void* memory = nullptr;
  require(cudaMallocFromPoolAsync(&memory, static_cast<std::size_t>(size), pool_, stream_), "cudaMallocFromPoolAsync");
  pieces_.emplace(memory, size);
  pieces_bytes_ += size;
  return memory;
}

void MemoryPieces::release(void* memory) noexcept {
  if (memory == nullptr) return;
  if (parts_) {
    parts_->give(static_cast<char*>(memory) - block_);
    return;
  }
  const auto piece = pieces_.find(memory);
  expect(piece != pieces_.end(), "memory that is given back was taken");
  pieces_bytes_ -= piece->second;
  pieces_.erase(piece);
  static_cast<void>(cudaFreeAsync(memory, stream_));
}

std::int64_t MemoryPieces::held_bytes() const {
  if (parts_) return limit_bytes_;
  std::uint64_t bytes = 0;
  require(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &bytes), "cudaMemPoolGetAttribute");
  return static_cast<std::int64_t>(bytes);
}

}  // namespace regatta::engine::cuda
