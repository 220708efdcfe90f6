// A checksum of the whole file in its last bytes, which HDF5 ignores. HDF5 checks numbers but not text or all of its
// own structure, and its library may crash on a damaged file: so no file is handed to it unseen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace regatta::results::hdf5 {

/// The seal of a file of these bytes, to be appended to them.
std::string seal_of(std::string_view bytes);

/// Whether the bytes that it took, piece by piece, end in the seal of what stands before it.
class SealCheck {
 public:
  void take(std::string_view piece);
  [[nodiscard]] bool holds() const;

 private:
  std::uint32_t crc_ = 0;
  std::string end_;  ///< as long as a seal
};

}  // namespace regatta::results::hdf5
