#include "support/cuda/runtime/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#if defined(__SANITIZE_ADDRESS__)
#define REGATTA_FAKES_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REGATTA_FAKES_ASAN 1
#endif
#endif
#ifdef REGATTA_FAKES_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace regatta::cuda_fakes {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kRegionBytes = std::size_t{64} << 30;  // address space, not memory
constexpr std::size_t kPatternBytes = std::size_t{2} << 20;
constexpr unsigned char kUnwritten = 0xff;  // NaN as fp32 and bf16, -1 as an integer

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

[[noreturn]] void no_memory(const char* what) {
  std::perror(what);
  std::abort();
}

/// A file of unwritten bytes: its pages are mapped privately, so memory is taken for what is written only. Pages
/// mapped from behind its end belong to nobody, whatever their protection: touching one ends the process.
int pattern_file() {
  static const int file = [] {
    const int made = memfd_create("unwritten-device-memory", MFD_CLOEXEC);
    const std::vector<unsigned char> bytes(kPatternBytes, kUnwritten);
    if (made < 0 || write(made, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      no_memory("the emulated device's memory");
    }
    return made;
  }();
  return file;
}

void map(char* at, std::size_t bytes, std::size_t offset, int protection) {
  constexpr int kFlags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
  if (mmap(at, bytes, protection, kFlags, pattern_file(), static_cast<off_t>(offset)) == MAP_FAILED) {
    no_memory("the emulated device's memory");
  }
}

void poison([[maybe_unused]] const char* from, [[maybe_unused]] const char* to) {
#ifdef REGATTA_FAKES_ASAN
  __asan_poison_memory_region(from, static_cast<std::size_t>(to - from));
#endif
}

void unpoison([[maybe_unused]] const char* from, [[maybe_unused]] const char* to) {
#ifdef REGATTA_FAKES_ASAN
  __asan_unpoison_memory_region(from, static_cast<std::size_t>(to - from));
#endif
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  for (const Region& region : regions_) {
    unpoison(region.begin, region.begin + region.top);
    munmap(region.begin, region.bytes);
  }
}

void* DeviceMemory::take(std::size_t bytes, bool is_usable) {
  const std::size_t aligned = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
  const std::size_t paged = round_up(aligned, kPage);
  if (regions_.empty() || regions_.back().bytes - regions_.back().top < paged + kPage) {
    const std::size_t size = std::max(kRegionBytes, round_up(paged + kPage, kPage));
    void* const begin = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) return nullptr;
    regions_.push_back({static_cast<char*>(begin), size, 0});
  }
  Region& region = regions_.back();
  char* const pages = region.begin + region.top;
  const int protection = is_open_ ? PROT_READ | PROT_WRITE : PROT_NONE;
  for (std::size_t at = 0; at < paged; at += kPatternBytes) {
    map(pages + at, std::min(kPatternBytes, paged - at), 0, protection);
  }
  region.top += paged + kPage;
  guard(pages + paged, kPage, region);
  char* const memory = pages + paged - aligned;
  poison(pages, memory);
  poison(memory + bytes, pages + paged);
  live_[memory] = {bytes, pages, paged, is_usable, false};
  live_bytes_ += round_up(bytes, kCountedBytes);
  return memory;
}

void DeviceMemory::give_back(void* memory) {
  const auto found = live_.find(static_cast<char*>(memory));
  if (found == live_.end()) throw std::runtime_error("memory is given back that nobody has");
  const Allocation allocation = found->second;
  char* const end = allocation.pages + allocation.paged_bytes;
  const bool was_open = is_open_;
  unpoison(allocation.pages, end);
  if (!was_open) mprotect(allocation.pages, allocation.paged_bytes, PROT_READ);
  const bool is_whole = std::all_of(found->first + allocation.bytes, end,
                                    [](char byte) { return static_cast<unsigned char>(byte) == kUnwritten; }) &&
                        std::all_of(allocation.pages, found->first,
                                    [](char byte) { return static_cast<unsigned char>(byte) == kUnwritten; });
  live_bytes_ -= round_up(allocation.bytes, kCountedBytes);
  live_.erase(found);
  for (const Region& region : regions_) {
    if (allocation.pages >= region.begin && allocation.pages < region.begin + region.bytes) {
      guard(allocation.pages, allocation.paged_bytes, region);
    }
  }
  if (!is_whole) {
    throw std::runtime_error("bytes in front of or behind an allocation of " + std::to_string(allocation.bytes) +
                             " bytes were written");
  }
}

/// Joined with its neighbours into one mapping, so that freed memory costs neither pages nor mappings.
void DeviceMemory::guard(char* begin, std::size_t bytes, const Region& region) {
  const auto after = guards_.lower_bound(begin);
  if (after != guards_.begin()) {
    const auto before = std::prev(after);
    if (before->first >= region.begin && before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      guards_.erase(before);
    }
  }
  if (after != guards_.end() && after->first == begin + bytes && after->first < region.begin + region.bytes) {
    bytes += after->second;
    guards_.erase(after);
  }
  guards_[begin] = bytes;
  map(begin, bytes, kPatternBytes, is_open_ ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void DeviceMemory::open() {
  if (is_open_) return;
  is_open_ = true;
  for (const Region& region : regions_) mprotect(region.begin, region.top, PROT_READ | PROT_WRITE);
}

void DeviceMemory::close() {
  if (!is_open_) return;
  is_open_ = false;
  for (const Region& region : regions_) mprotect(region.begin, region.top, PROT_NONE);
}

Allocation* DeviceMemory::find(const void* memory) {
  char* const address = static_cast<char*>(const_cast<void*>(memory));
  auto found = live_.upper_bound(address);
  if (found == live_.begin()) return nullptr;
  --found;
  return address < found->first + std::max<std::size_t>(found->second.bytes, 1) ? &found->second : nullptr;
}

char* DeviceMemory::begin_of(const Allocation& allocation) const {
  return allocation.pages + allocation.paged_bytes - round_up(std::max<std::size_t>(allocation.bytes, 1), kAlignment);
}

bool DeviceMemory::owns(const void* memory) const {
  const char* const address = static_cast<const char*>(memory);
  return std::any_of(regions_.begin(), regions_.end(), [&](const Region& region) {
    return address >= region.begin && address < region.begin + region.top;
  });
}

std::string DeviceMemory::why_not(const void* memory, std::size_t bytes) {
  const Allocation* const allocation = find(memory);
  if (!allocation) return owns(memory) ? "freed memory, or none" : "no device memory";
  const char* const end = begin_of(*allocation) + allocation->bytes;
  const char* const asked = static_cast<const char*>(memory) + bytes;
  if (asked > end) {
    return std::to_string(asked - end) + " bytes past the end of its allocation of " +
           std::to_string(allocation->bytes) + " bytes";
  }
  if (!allocation->is_usable) return "memory before its allocation, in the order of the streams";
  return "";
}

}  // namespace regatta::cuda_fakes
