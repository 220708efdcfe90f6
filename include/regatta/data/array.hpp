// The contents of data files: rows of one type and shape, mapped from the file or in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::data {

enum class ElementType : std::uint8_t { uint8, int32, int64, float32, float64 };

std::size_t size_of(ElementType type);
bool is_float(ElementType type);
std::string_view name_of(ElementType type);  ///< "uint8", "int32", "int64", "float32" or "float64"

/// One column of a table.
struct Column {
  std::string name;                     ///< empty where the file has none
  std::vector<std::string> categories;  ///< meanings of 0, 1, ...; empty: numbers stand for themselves
  std::int64_t missing = 0;             ///< cells without a value, which are NaN
};

/// `count` rows, little-endian; row i lies at first + i * stride_bytes, its elements one after the other. No address is
/// aligned, as a header may have any length: elements are copied out (std::memcpy), never pointed at.
struct Array {
  std::string name;  ///< "x", "y"; empty where the file has no names
  ElementType type = ElementType::uint8;
  std::vector<std::int64_t> shape;  ///< one row's; empty: a row is one number
  std::int64_t count = 0;
  const std::byte* first = nullptr;
  std::size_t stride_bytes = 0;
  /// Meanings of the numbers 0, 1, ... in the rows; empty: they stand for themselves.
  std::vector<std::string> categories;
  std::shared_ptr<const void> owner;  ///< keeps what `first` points at
  std::vector<Column> columns = {};   ///< a table has one for each element of a row
};

/// Bytes of a row of this type and shape.
std::size_t row_bytes(ElementType type, const std::vector<std::int64_t>& shape);
std::size_t row_bytes(const Array& array);

/// The bytes of a file, which `owner` keeps. `name` is what errors call it.
struct FileBytes {
  std::string name;
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

/// Maps a regular file for reading; an empty one has no bytes. Throws InputError naming the path.
FileBytes map_file(const std::string& path);

}  // namespace regatta::data
