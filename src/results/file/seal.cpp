#include <fmt/format.h>

#include "regatta/base/crc32c.hpp"
#include "results/file/file.hpp"

namespace regatta::results::hdf5 {

namespace {

std::string seal_text(std::uint32_t crc) { return fmt::format("\nregatta crc32c {:08x}\n", crc); }

}  // namespace

std::string seal_of(std::string_view bytes) { return seal_text(crc32c(bytes)); }

void SealCheck::take(std::string_view piece) {
  static const std::size_t length = seal_text(0).size();
  end_ += piece;
  if (end_.size() <= length) return;
  const std::size_t before = end_.size() - length;
  crc_ = crc32c(std::string_view(end_).substr(0, before), crc_);
  end_.erase(0, before);
}

bool SealCheck::holds() const { return end_ == seal_text(crc_); }

}  // namespace regatta::results::hdf5
