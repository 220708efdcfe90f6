// Counts what a program allocates, by replacing operator new: for one source of a program with tests on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace regatta::support {

inline std::uint64_t allocations = 0;  ///< since the program began

}  // namespace regatta::support

void* operator new(std::size_t size) {
  ++regatta::support::allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
