// Texts of a dataset as numbers of categories.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::data {

struct Texts {
  std::vector<std::int32_t> codes;  ///< one for each row: 0, 1, ... in order of first appearance
  std::string categories;           ///< the text of 0, of 1 and so on, each with a zero behind it
};

bool holds_texts(hid_t type);

/// The rows of a dataset of texts, of shape (rows) or (rows, 1). Throws InputError if their categories take more bytes,
/// or if there are too many.
Texts read_texts(hid_t dataset, hid_t type, std::uint64_t rows, std::uint64_t most_bytes);

}  // namespace regatta::data
