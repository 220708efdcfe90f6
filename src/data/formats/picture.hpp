// One picture from the bytes of a file, by the library that knows its format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// Pixels are bytes, row by row from the top, channels last.
struct PictureShape {
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;  ///< 1: grey; 3: red, green, blue
  bool operator==(const PictureShape&) const = default;
  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(height * width * channels); }
};

/// Where the pixels go, once the shape is known and before anything is taken for it. Throws to refuse the shape.
using PicturePlace = std::function<std::byte*(const PictureShape&)>;

/// Colours in whatever space become RGB. Throws InputError for what is damaged or cut short, for CMYK, and without
/// libjpeg.
void read_jpeg(const FileBytes& file, const PicturePlace& place);

/// Palettes become RGB, 16 bits 8; transparency is left out. Throws InputError for what is damaged or cut short, and
/// without libpng.
void read_png(const FileBytes& file, const PicturePlace& place);

/// The one of them that the first bytes tell. Throws InputError for others.
void read_picture(const FileBytes& file, const PicturePlace& place);

}  // namespace regatta::data
