// The 8 x 8 handwritten digits that come with Regatta (datasets/digits; its manifest names source and licence).
#pragma once

#include <filesystem>

#include "regatta/data/idx.hpp"

namespace regatta::data {

struct Digits {
  IdxArray images;  ///< (1797, 8, 8), values 0 to 16
  IdxArray labels;  ///< (1797), 0 to 9
};

inline constexpr int digits_largest_value = 16;
inline constexpr int digits_classes = 10;

/// Reads the files of `folder` after comparing them with the SHA-256 in its manifest.json. Throws InputError naming the
/// file that is missing or damaged.
Digits read_digits(const std::filesystem::path& folder);

}  // namespace regatta::data
