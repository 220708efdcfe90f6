// Pictures made by the libraries that read them, for tests.
#pragma once

#include <string>

#include "data/formats/picture.hpp"

namespace regatta::data {

/// A picture whose byte i is i * 7 + 1, cut to a byte.
std::string pixels_of(const PictureShape& shape);

bool can_write_png();
std::string png_of(const PictureShape& shape);

bool can_write_jpeg();
std::string jpeg_of(const PictureShape& shape, bool is_progressive = false);

}  // namespace regatta::data
