// Numbers as they stand in a file, and the array that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// More than are read as such: the others are widened.
enum class Stored : std::uint8_t {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  uint64,
  int64,
  float16,
  float32,
  float64
};

std::size_t size_of(Stored stored);
ElementType type_of(Stored stored);  ///< element type that such numbers are read as

struct Layout {
  Stored stored;
  bool is_big_endian;
  bool first_axis_is_fastest;      ///< Fortran's order
  std::vector<std::int64_t> axes;  ///< all of them, at least one
  std::size_t offset;              ///< where the first number stands
};

inline constexpr std::size_t max_axes = 32;
inline constexpr std::int64_t max_row_bytes = std::int64_t{1} << 40;  ///< where no file's end limits them

/// The array whose last number ends the file: the file's own bytes if they are what an Array holds, else converted into
/// memory. Throws InputError if the file is longer or shorter, if rows have no elements, if a number fits no int64.
Array array_of(const FileBytes& file, const Layout& layout, std::uint64_t memory_cap_bytes);

}  // namespace regatta::data
