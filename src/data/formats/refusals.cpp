#include <fmt/format.h>

#include <new>

#include "data/formats/formats.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/units.hpp"

namespace regatta::data {

void refuse_damaged(const FileBytes& file, std::uint64_t offset, const std::string& what) {
  throw InputError(fmt::format("'{}' is damaged at offset {}: {}; get the file again", file.name, offset, what));
}

void check_memory(const FileBytes& file, std::uint64_t needed_bytes, std::uint64_t cap_bytes) {
  if (needed_bytes <= cap_bytes) return;
  throw InputError(
      fmt::format("'{}' takes {} of memory or more to read (at most {} may be used); allow more memory, or "
                  "use a smaller file",
                  file.name, format_size(needed_bytes), format_size(cap_bytes)));
}

std::shared_ptr<std::byte[]> shared_memory(const FileBytes& file, std::uint64_t needed_bytes, std::uint64_t cap_bytes) {
  check_memory(file, needed_bytes, cap_bytes);
  auto* const memory = new (std::nothrow) std::byte[needed_bytes];
  if (memory != nullptr) return std::shared_ptr<std::byte[]>(memory);
  throw InputError(fmt::format("'{}' takes {} of memory to read, which this machine does not give; use a smaller file",
                               file.name, format_size(needed_bytes)));
}

}  // namespace regatta::data
