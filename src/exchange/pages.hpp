// Sizes in whole pages.
#pragma once

#include <cstddef>

namespace regatta::exchange {

inline constexpr std::size_t page_bytes = 4096;

inline std::size_t bytes_of_pages(std::size_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

/// So many floats that they fill pages.
inline std::size_t in_whole_pages(std::size_t floats) { return bytes_of_pages(floats * sizeof(float)) / sizeof(float); }

}  // namespace regatta::exchange
