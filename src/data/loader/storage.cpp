// Tells whether rows are in memory, and waits for rows that are not.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "data/loader/gather.hpp"

namespace regatta::data {
namespace {

constexpr std::size_t most_pages_looked_at = 4096;

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

void await_rows(const Array& array, std::span<const std::uint32_t> samples) {
  const std::size_t page = page_bytes();
  const std::size_t bytes = row_bytes(array);
  if (bytes == 0) return;
  for (const std::uint32_t sample : samples) {
    const std::byte* const row = array.first + sample * array.stride_bytes;
    for (std::size_t at = 0; at < bytes; at += page)
      static_cast<void>(*static_cast<const volatile std::byte*>(row + at));
    static_cast<void>(*static_cast<const volatile std::byte*>(row + bytes - 1));
  }
}

// A page that goes out later is waited for by the thread that copies it: slower, and as right.
bool is_in_memory(const Array& array) {
  const std::size_t page = page_bytes();
  const std::size_t bytes = static_cast<std::size_t>(array.count) * array.stride_bytes;
  const std::size_t pages = bytes / page;
  const auto begin = reinterpret_cast<std::uintptr_t>(array.first) & ~(page - 1);
  const std::size_t step = std::max<std::size_t>(pages / most_pages_looked_at, 1);
  for (std::size_t i = 0; i < pages; i += step) {
    unsigned char is_there = 1;
    const int looked = ::mincore(reinterpret_cast<void*>(begin + i * page), page, &is_there);
    if (looked == 0 && (is_there & 1) == 0) return false;
  }
  return true;
}

}  // namespace regatta::data
