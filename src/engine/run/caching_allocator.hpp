// Memory for eager mode: released blocks wait in free lists by size class for the next request.
#pragma once

#include <array>
#include <vector>

#include "regatta/engine/backend.hpp"

namespace regatta::engine {

class CachingAllocator {
 public:
  explicit CachingAllocator(Backend& backend) : backend_(backend) {}
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  /// At least `bytes`, at most a quarter more. Throws std::bad_alloc.
  void* allocate(std::int64_t bytes);

  /// Takes back what allocate gave for the same `bytes`.
  void release(void* memory, std::int64_t bytes) { free_[size_class(bytes)].push_back(memory); }

  [[nodiscard]] std::int64_t held_bytes() const { return held_bytes_; }

 private:
  static std::size_t size_class(std::int64_t bytes);

  static constexpr std::size_t kClasses = 256;  // four for each doubling
  Backend& backend_;
  std::array<std::vector<void*>, kClasses> free_;
  std::vector<void*> all_;
  std::int64_t held_bytes_ = 0;
};

}  // namespace regatta::engine
