#include "data/formats/picture.hpp"

#include <fmt/format.h>

#include "regatta/base/error.hpp"

namespace regatta::data {

void read_picture(const FileBytes& file, const PicturePlace& place) {
  if (file.bytes.starts_with("\xff\xd8\xff")) return read_jpeg(file, place);
  if (file.bytes.starts_with("\x89PNG\r\n\x1a\n")) return read_png(file, place);
  throw InputError(
      fmt::format("'{}' is neither a JPEG nor a PNG picture, as its first bytes say. Only these are read. Take it out "
                  "of the folder, or convert it",
                  file.name));
}

}  // namespace regatta::data
