// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <fmt/format.h>

#include "data/formats/formats.hpp"
#include "data/formats/stored.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {

Array parse_npy(const FileBytes& file, std::uint64_t memory_cap_bytes) {
  const Layout layout = npy_layout(file);
  if (!layout.axes.empty()) return array_of(file, layout, memory_cap_bytes);
  throw InputError(fmt::format("'{}' holds one number without axes (a data set has rows); save an array", file.name));
}

}  // namespace regatta::data
