// The answer of the program regatta-read-hdf5, in memory that it shares with its caller (its standard input).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "regatta/data/array.hpp"

namespace regatta::data {

inline constexpr const char* hdf5_program = "regatta-read-hdf5";  ///< FILE DATASET MEMORY_CAP_BYTES SECONDS
inline constexpr std::size_t hdf5_most_categories = 65536;        ///< more texts name rows, not kinds of rows
inline constexpr std::uint64_t hdf5_library_bytes = std::uint64_t{1} << 30;  ///< memory that it may take besides

struct Hdf5Array {
  static constexpr std::size_t most_axes = 32;
  ElementType type;
  std::uint32_t axes;  ///< the first counts the rows; 0: it is not there
  std::array<std::uint64_t, most_axes> sizes;
  bool first_axis_is_fastest;  ///< the axes stand in Fortran's order
  std::uint64_t offset;        ///< in the shared memory, at a multiple of hdf5_page_bytes
  std::uint64_t texts_offset;  ///< the same, of the meanings of 0, 1, ..., each with a zero behind it
  std::uint64_t texts_bytes;   ///< 0: numbers stand for themselves
};

/// Begins the shared memory. Its reader believes nothing of it.
struct Hdf5Answer {
  bool is_complete;
  std::array<char, 1024> refusal;  ///< ends with a zero; empty: none
  std::array<Hdf5Array, 4> arrays;
};

inline constexpr std::uint64_t hdf5_page_bytes = 65536;  ///< a multiple of every machine's pages
constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + hdf5_page_bytes - 1) / hdf5_page_bytes * hdf5_page_bytes;
}
inline constexpr std::uint64_t hdf5_answer_bytes = whole_pages(sizeof(Hdf5Answer));

/// The datasets that are asked for: without a name "x" and, where they are there, the others.
inline std::vector<std::string> hdf5_names(const std::string& dataset) {
  if (!dataset.empty()) return {dataset};
  return {"x", "y", "x_test", "y_test"};
}

}  // namespace regatta::data
