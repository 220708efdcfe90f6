// The static shared memory of a block: arrays with gaps between them, all of it NaN (-1) at the beginning.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace regatta::emulator {

inline constexpr std::size_t kSharedLimitBytes = std::size_t{48} << 10;

struct SharedArray {
  const void* key;
  const char* name;
  std::size_t begin, end;  ///< bytes in the slab
};

struct FreeSlab {
  void operator()(char* slab) const;
};

struct SharedMemory {
  static constexpr int kMost = 32;
  std::unique_ptr<char, FreeSlab> slab;
  SharedArray arrays[kMost];
  int count = 0;
  std::size_t used_bytes = 0;  ///< by arrays
  std::size_t end = 0;         ///< behind the last gap
};

/// A slab of its own for each block that begins where ThreadSanitizer watches, else that of the block before.
void begin_block(SharedMemory& memory);

/// The array that belongs to `key`. Null: the limit of 48 KiB (or of 32 arrays) is passed.
void* find_array(SharedMemory& memory, const void* key, std::size_t bytes, std::size_t alignment, const char* name);

/// The array behind or before whose end somebody wrote; null: none.
const char* overrun(const SharedMemory& memory);

}  // namespace regatta::emulator
