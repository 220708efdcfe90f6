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
constexpr std::size_t kPatternBytes = std::size_t{8} << 20;
constexpr std::size_t kLargeBytes = std::size_t{1} << 20;   // from here on memory is taken for what is written only
constexpr std::size_t kFreedBytes = std::size_t{64} << 20;  // kept, to be looked at
constexpr std::size_t kGap = 256;
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

std::string written_around(const Allocation& allocation) {
  return "bytes in front of or behind an allocation of " + std::to_string(allocation.bytes) + " bytes were written";
}

bool is_unwritten(const char* from, const char* to) {
  if (from == to) return true;
  // Each byte against the next one, in one call: ThreadSanitizer watches every access of a loop.
  return static_cast<unsigned char>(*from) == kUnwritten &&
         std::memcmp(from, from + 1, static_cast<std::size_t>(to - from - 1)) == 0;
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

/// Null: no address space is left.
char* DeviceMemory::take_pages(std::size_t bytes) {
  if (regions_.empty() || regions_.back().bytes - regions_.back().top < bytes) {
    const std::size_t size = std::max(kRegionBytes, bytes);
    void* const begin = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) return nullptr;
    regions_.push_back({static_cast<char*>(begin), size, 0});
  }
  char* const pages = regions_.back().begin + regions_.back().top;
  regions_.back().top += bytes;
  return pages;
}

void DeviceMemory::map_large(char* pages, std::size_t bytes) {
  const int protection = is_open_ ? PROT_READ | PROT_WRITE : PROT_NONE;
  for (std::size_t at = 0; at < bytes; at += kPatternBytes) {
    map(pages + at, std::min(kPatternBytes, bytes - at), 0, protection);
  }
  map(pages + bytes, kPage, kPatternBytes, protection);
}

/// Makes small pages unwritten. They lie in one mapping, so that opening all of them is one cheap call.
void DeviceMemory::fill_small(char* pages, std::size_t bytes) {
  mprotect(pages, bytes, PROT_READ | PROT_WRITE);
  std::memset(pages, kUnwritten, bytes);
  if (!is_open_) mprotect(pages, bytes, PROT_NONE);
}

void* DeviceMemory::take(std::size_t bytes, bool is_usable) {
  const bool is_large = bytes >= kLargeBytes;
  const std::size_t aligned = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
  const std::size_t paged = round_up(aligned + (is_large ? 0 : 2 * kGap), kPage);
  char* const pages = take_pages(paged + (is_large ? kPage : 0));
  if (!pages) return nullptr;
  is_large ? map_large(pages, paged) : fill_small(pages, paged);
  char* memory = pages + paged - aligned - (is_large ? 0 : kGap);
  if (reinterpret_cast<std::uintptr_t>(memory) % (2 * kAlignment) == 0 && !is_large) memory -= kAlignment;
  poison(pages, memory);
  poison(memory + bytes, pages + paged);
  live_[memory] = {bytes, pages, paged, is_large, is_usable, false};
  live_bytes_ += round_up(bytes, kCountedBytes);
  return memory;
}

void DeviceMemory::give_back(void* memory) {
  const auto found = live_.find(static_cast<char*>(memory));
  if (found == live_.end()) throw std::runtime_error("memory is given back that nobody has");
  const Allocation allocation = found->second;
  char* const begin = found->first;
  char* const end = allocation.pages + allocation.paged_bytes;
  const bool was_open = is_open_;
  unpoison(allocation.pages, end);
  if (!was_open) mprotect(allocation.pages, allocation.paged_bytes, PROT_READ);
  const bool is_whole = is_unwritten(allocation.pages, begin) && is_unwritten(begin + allocation.bytes, end);
  live_bytes_ -= round_up(allocation.bytes, kCountedBytes);
  live_.erase(found);
  if (allocation.is_large) {  // touching it from now on ends the process
    map(allocation.pages, allocation.paged_bytes + kPage, kPatternBytes, is_open_ ? PROT_READ | PROT_WRITE : PROT_NONE);
  } else {
    fill_small(allocation.pages, allocation.paged_bytes);
    poison(allocation.pages, end);
    freed_.emplace_back(allocation.pages, allocation.paged_bytes);
    freed_bytes_ += allocation.paged_bytes;
    while (freed_bytes_ > kFreedBytes) forget_oldest();
  }
  if (!is_whole) throw std::runtime_error(written_around(allocation));
}

void DeviceMemory::forget_oldest() {
  const auto [pages, bytes] = freed_.front();
  freed_.pop_front();
  freed_bytes_ -= bytes;
  madvise(pages, bytes, MADV_DONTNEED);
}

std::string DeviceMemory::damage() {
  const bool was_open = is_open_;
  open();
  std::string found;
  for (const auto& [memory, allocation] : live_) {
    char* const end = allocation.pages + allocation.paged_bytes;
    unpoison(allocation.pages, end);
    if (!is_unwritten(allocation.pages, memory) || !is_unwritten(memory + allocation.bytes, end)) {
      found = written_around(allocation);
    }
    poison(allocation.pages, memory);
    poison(memory + allocation.bytes, end);
  }
  for (const auto& [pages, bytes] : freed_) {
    unpoison(pages, pages + bytes);
    if (!is_unwritten(pages, pages + bytes)) found = "freed memory was written";
    poison(pages, pages + bytes);
  }
  if (!was_open) close();
  return found;
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

bool DeviceMemory::begins(const void* memory) const {
  return live_.count(static_cast<char*>(const_cast<void*>(memory))) != 0;
}

bool DeviceMemory::owns(const void* memory) const {
  const char* const address = static_cast<const char*>(memory);
  return std::any_of(regions_.begin(), regions_.end(), [&](const Region& region) {
    return address >= region.begin && address < region.begin + region.top;
  });
}

std::string DeviceMemory::why_not(const void* memory, std::size_t bytes) {
  const char* const address = static_cast<const char*>(memory);
  auto found = live_.upper_bound(const_cast<char*>(address));
  const bool is_behind_one = found != live_.begin();
  if (is_behind_one) --found;
  if (!is_behind_one || address >= found->first + std::max<std::size_t>(found->second.bytes, 1)) {
    return owns(memory) ? "freed memory, or none" : "no device memory";
  }
  const char* const end = found->first + found->second.bytes;
  if (address + bytes > end) {
    return std::to_string(address + bytes - end) + " bytes past the end of its allocation of " +
           std::to_string(found->second.bytes) + " bytes";
  }
  if (!found->second.is_usable) return "memory before its allocation, in the order of the streams";
  return "";
}

}  // namespace regatta::cuda_fakes
