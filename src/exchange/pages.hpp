// Sizes in whole pages.
#pragma once

#include <cstddef>

namespace regatta::exchange {

inline constexpr std::size_t page_bytes = 4096;

/// So many floats that they fill pages.
inline std::size_t in_whole_pages(std::size_t floats) {
  constexpr std::size_t page = page_bytes / sizeof(float);
  return (floats + page - 1) / page * page;
}

}  // namespace regatta::exchange
