#include "engine/run/caching_allocator.hpp"

#include <bit>

namespace regatta::engine {

namespace {

constexpr std::int64_t kSmallest = 256;  // bytes; keeps every class a multiple of 64

/// Bytes of a class: 4, 5, 6 or 7 quarters of a power of two, times kSmallest.
constexpr std::int64_t class_bytes(std::size_t index) {
  return (kSmallest / 4 * static_cast<std::int64_t>(4 + index % 4)) << (index / 4);
}

}  // namespace

std::size_t CachingAllocator::size_class(std::int64_t bytes) {
  if (bytes <= kSmallest) return 0;
  const auto last = static_cast<std::uint64_t>(bytes - 1);  // the last byte decides: exact sizes stay in their class
  const auto doubling = static_cast<unsigned>(std::bit_width(last)) - 1;
  const std::uint64_t quarter = (last >> (doubling - 2)) & 3U;
  return (doubling - 8) * 4 + quarter + 1;  // 256 = 2^8
}

void* CachingAllocator::allocate(std::int64_t bytes) {
  const std::size_t index = size_class(bytes);
  if (!free_[index].empty()) {
    void* const memory = free_[index].back();
    free_[index].pop_back();
    return memory;
  }
  all_.reserve(all_.size() + 1);
  void* const memory = backend_.allocate(class_bytes(index));
  all_.push_back(memory);
  held_bytes_ += class_bytes(index);
  return memory;
}

CachingAllocator::~CachingAllocator() {
  for (void* const memory : all_) backend_.release(memory);
}

}  // namespace regatta::engine
