// A kernel's view of the emulator: its ids, and its waits. words.hpp makes CUDA's words of it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace regatta::emulator {

/// A line of a kernel, for messages.
struct Where {
  const char* file;
  int line;
};

inline bool operator==(Where a, Where b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

struct Ids {
  uint3 thread, block;
  dim3 block_dim, grid_dim;
  int lane;
};

/// The CUDA thread that runs. Valid until it waits.
const Ids& ids();

/// Returns when all threads of the block have come.
void block_barrier(Where where);

/// To be called between two looks at memory that another thread may change.
void let_others_run(Where where);

/// The array of the block that belongs to `key`, filled with NaN (-1) when the block begins.
void* shared_array(const void* key, std::size_t bytes, std::size_t alignment, const char* name, Where where);

enum class WarpKind : std::uint8_t { barrier, vote, shuffle };

struct WarpOperation {
  WarpKind kind;
  const char* name;  ///< "__shfl_sync", for messages
  unsigned mask;     ///< the lanes that take part
  std::uint64_t value = 0;
  int source = 0;  ///< lane whose value a shuffle gives
};

/// Returns when all lanes of the mask have come: a shuffle's value, a vote's lanes with a value other than 0.
std::uint64_t join_warp(const WarpOperation& operation, Where where);

}  // namespace regatta::emulator
