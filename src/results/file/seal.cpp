#include "results/file/seal.hpp"

#include <fmt/format.h>

#include "regatta/base/crc32c.hpp"

namespace regatta::results::hdf5 {

std::string seal_of(std::string_view bytes) { return fmt::format("\nregatta crc32c {:08x}\n", crc32c(bytes)); }

bool is_sealed(std::string_view bytes) {
  const std::size_t length = seal_of({}).size();
  return bytes.size() >= length && bytes.ends_with(seal_of(bytes.substr(0, bytes.size() - length)));
}

}  // namespace regatta::results::hdf5
