#include "support/cuda/emulator/shared_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "support/cuda/emulator/context.hpp"
#include "support/cuda/emulator/sanitizers.hpp"

namespace regatta::emulator {

namespace {

constexpr std::size_t kGapBytes = 64;
constexpr std::size_t kSlabAlignment = 128;
constexpr std::size_t kSlabBytes = kSharedLimitBytes + SharedMemory::kMost * (kGapBytes + kSlabAlignment);
constexpr int kPoison = 0xff;

/// Where ThreadSanitizer watches, only the host may do this: to it the thread that first asks for an array would race
/// with the others.
void fill(char* memory, std::size_t bytes) { std::memset(memory, kPoison, bytes); }

void allow([[maybe_unused]] const char* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef REGATTA_EMULATOR_FOR_ASAN
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

void forbid([[maybe_unused]] const char* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef REGATTA_EMULATOR_FOR_ASAN
  __asan_poison_memory_region(memory, bytes);
#endif
}

bool untouched([[maybe_unused]] const char* begin, [[maybe_unused]] const char* end) {
#ifdef REGATTA_EMULATOR_FOR_ASAN
  return true;  // a write there has been reported
#else
  return std::all_of(begin, end, [](char byte) { return byte == static_cast<char>(kPoison); });
#endif
}

}  // namespace

void FreeSlab::operator()(char* slab) const {
  allow(slab, kSlabBytes);
  std::free(slab);
}

void begin_block(SharedMemory& memory) {
  memory.count = 0;
  memory.used_bytes = 0;
  if (!memory.slab) {
    memory.slab.reset(static_cast<char*>(std::aligned_alloc(kSlabAlignment, kSlabBytes)));
    if (!memory.slab) throw std::bad_alloc();
  } else {
    allow(memory.slab.get(), kSlabBytes);
  }
  fill(memory.slab.get(), kForTsan ? kSlabBytes : kGapBytes);
  forbid(memory.slab.get(), kSlabBytes);
  memory.end = kGapBytes;
}

void* find_array(SharedMemory& memory, const void* key, std::size_t bytes, std::size_t alignment, const char* name) {
  char* const slab = memory.slab.get();
  for (int i = 0; i < memory.count; ++i) {
    if (memory.arrays[i].key == key) return slab + memory.arrays[i].begin;
  }
  if (memory.count == SharedMemory::kMost || memory.used_bytes + bytes > kSharedLimitBytes) return nullptr;
  const std::size_t begin = (memory.end + alignment - 1) / alignment * alignment;
  const std::size_t end = begin + bytes;
  allow(slab + memory.end, end + kGapBytes - memory.end);
  if (!kForTsan) fill(slab + memory.end, end + kGapBytes - memory.end);
  forbid(slab + memory.end, begin - memory.end);
  forbid(slab + end, kGapBytes);
  memory.arrays[memory.count++] = {key, name, begin, end};
  memory.used_bytes += bytes;
  memory.end = end + kGapBytes;
  return slab + begin;
}

const char* overrun(const SharedMemory& memory) {
  const char* const slab = memory.slab.get();
  for (int i = 0; i < memory.count; ++i) {
    const SharedArray& array = memory.arrays[i];
    if (!untouched(slab + array.begin - kGapBytes, slab + array.begin)) return array.name;
    if (!untouched(slab + array.end, slab + array.end + kGapBytes)) return array.name;
  }
  return nullptr;
}

}  // namespace regatta::emulator
