// The 8 x 8 handwritten digits that come with Regatta (datasets/digits; its manifest names source and licence).
#pragma once

#include <filesystem>

#include "regatta/data/array.hpp"

namespace regatta::data {

struct Digits {
  Array images;  ///< 1797 rows of (8, 8), uint8, 0 to 16, one behind the other
  Array labels;  ///< 1797 rows of one uint8, 0 to 9
};

inline constexpr int digits_largest_value = 16;
inline constexpr int digits_classes = 10;
inline constexpr std::int64_t digits_rows = 1797;
inline constexpr std::int64_t digits_training_rows = 1400;  ///< the others are the test part (the manifest says which)

/// Reads the files of `folder` after comparing them with the SHA-256 in its manifest.json. Throws InputError naming the
/// file that is missing or damaged.
Digits read_digits(const std::filesystem::path& folder);

}  // namespace regatta::data
