// The memory of one fake device: address space that is never given out twice, NaN until something is written, closed to
// the host, with a page behind each allocation that nobody may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace regatta::cuda_fakes {

struct Allocation {
  std::size_t bytes = 0;  ///< as asked for
  char* pages = nullptr;  ///< where its pages begin; its end is the end of the pages, but for the alignment
  std::size_t paged_bytes = 0;
  bool is_usable = true;    ///< false: its place in the order of a stream has not come yet
  bool is_freeing = false;  ///< cudaFreeAsync was called, its place in the order has not come yet
};

/// What device memory is rounded to when it is counted; cudaMalloc's alignment here is exactly 256.
inline constexpr std::size_t kCountedBytes = 512;

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Memory whose last byte lies before a guard page (but for at most 255 bytes). Null: no address space is left.
  void* take(std::size_t bytes, bool is_usable);

  /// Gives pages back; the addresses stay taken. Throws std::runtime_error where bytes behind its end were written.
  void give_back(void* memory);

  /// Lets work in, and keeps the host out.
  void open();
  void close();

  /// The allocation that holds the address; null: none, or freed.
  [[nodiscard]] Allocation* find(const void* memory);
  /// Where find()'s allocation begins.
  [[nodiscard]] char* begin_of(const Allocation& allocation) const;

  /// Whether the address was ever device memory.
  [[nodiscard]] bool owns(const void* memory) const;

  /// Empty: [memory, memory + bytes) is live.
  [[nodiscard]] std::string why_not(const void* memory, std::size_t bytes);

  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] std::size_t live_count() const { return live_.size(); }

 private:
  struct Region {
    char* begin = nullptr;
    std::size_t bytes = 0, top = 0;
  };
  void guard(char* begin, std::size_t bytes, const Region& region);

  std::size_t capacity_;
  std::size_t live_bytes_ = 0;
  std::vector<Region> regions_;
  std::map<char*, Allocation> live_;
  std::map<char*, std::size_t> guards_;  ///< pages that nobody may touch, neighbours joined
  bool is_open_ = false;
};

}  // namespace regatta::cuda_fakes
