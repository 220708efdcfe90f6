// The rules that every reader of data files has to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "data/formats/format_files.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/array.hpp"

namespace regatta::fuzz {

inline constexpr std::uint64_t memory_cap_bytes = std::uint64_t{16} << 20;

/// Reads every row of what `parse` makes of these bytes. A refusal names the file.
template <class Parse>
int read_or_refuse(const std::uint8_t* data, std::size_t size, const Parse& parse) {
  const data::FileBytes file{"bytes.of.fuzz", {reinterpret_cast<const char*>(data), size}, nullptr};
  try {
    for (const data::Array& array : parse(file)) {
      volatile std::uint64_t sum = data::sum_of_rows(array);
      static_cast<void>(sum);
    }
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find("bytes.of.fuzz") != std::string_view::npos) return 0;
    std::cerr << error.what() << '\n';
    std::abort();
  }
  return 0;
}

}  // namespace regatta::fuzz
