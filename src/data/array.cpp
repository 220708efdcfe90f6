#include "regatta/data/array.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <functional>
#include <numeric>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::data {

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return 1;
    case ElementType::int32:
    case ElementType::float32:
      return 4;
    case ElementType::int64:
    case ElementType::float64:
      return 8;
  }
  throw InternalError("an element type of no size");
}

bool is_float(ElementType type) { return type == ElementType::float32 || type == ElementType::float64; }

std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return "uint8";
    case ElementType::int32:
      return "int32";
    case ElementType::int64:
      return "int64";
    case ElementType::float32:
      return "float32";
    case ElementType::float64:
      return "float64";
  }
  throw InternalError("an element type of no name");
}

std::size_t row_bytes(ElementType type, const std::vector<std::int64_t>& shape) {
  const auto elements = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  return static_cast<std::size_t>(elements) * size_of(type);
}

std::size_t row_bytes(const Array& array) { return row_bytes(array.type, array.shape); }

FileBytes map_file(const std::string& path) {
  const UniqueFd file = open_regular_file(path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw InputError(errno_text("stat '" + path + "'", errno));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {path, {}, nullptr};
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) throw InputError(errno_text("map '" + path + "'", errno));
  const std::shared_ptr<const void> owner(start, [size](const void* at) { ::munmap(const_cast<void*>(at), size); });
  return {path, {static_cast<const char*>(start), size}, owner};
}

}  // namespace regatta::data
