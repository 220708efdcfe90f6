// The memory of one fake device: address space that is never given out twice, NaN until something is written and again
// once it is freed, closed to the host, with bytes around each allocation that show who wrote past it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace regatta::cuda_fakes {

struct Allocation {
  std::size_t bytes = 0;  ///< as asked for
  char* pages = nullptr;  ///< pages that hold it, with some bytes in front of it and behind it
  std::size_t paged_bytes = 0;
  bool is_large = false;    ///< mapped on its own, with a page behind it that nobody may touch
  bool is_usable = true;    ///< false: its place in the order of a stream has not come yet
  bool is_freeing = false;  ///< cudaFreeAsync was called, its place in the order has not come yet
};

/// The unit that device memory is rounded to when it is counted; cudaMalloc's alignment here is exactly 256.
inline constexpr std::size_t kCountedBytes = 512;

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Uninitialised memory, aligned to 256 bytes and to no more. Null: no address space is left.
  void* take(std::size_t bytes, bool is_usable);

  /// Its addresses stay taken. Throws std::runtime_error where bytes around it were written.
  void give_back(void* memory);

  /// Writes to forbidden places: around live allocations, into freed ones; empty: none.
  std::string damage();

  /// Lets work in, and keeps the host out.
  void open();
  void close();

  /// The allocation that holds the address; null: none, or freed.
  [[nodiscard]] Allocation* find(const void* memory);
  /// Whether an allocation begins there.
  [[nodiscard]] bool begins(const void* memory) const;

  /// Whether the address was ever device memory.
  [[nodiscard]] bool owns(const void* memory) const;

  /// Empty: [memory, memory + bytes) is live.
  [[nodiscard]] std::string why_not(const void* memory, std::size_t bytes);

  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] std::size_t live_count() const { return live_.size(); }

 private:
  struct Region {
    char* begin = nullptr;
    std::size_t bytes = 0, top = 0;
  };
  char* take_pages(std::size_t bytes);
  void map_large(char* pages, std::size_t bytes);
  void fill_small(char* pages, std::size_t bytes);
  void forget_oldest();

  std::size_t capacity_;
  std::size_t live_bytes_ = 0;
  std::vector<Region> regions_;
  std::map<char*, Allocation> live_;
  std::deque<std::pair<char*, std::size_t>> freed_;  ///< small ones, unwritten again, the oldest first
  std::size_t freed_bytes_ = 0;
  bool is_open_ = false;
};

}  // namespace regatta::cuda_fakes
