// A checksum of the whole file in its last bytes, which HDF5 ignores. HDF5 checks numbers but not text or all of its
// own structure, and its library may crash on a damaged file: so no file is handed to it unseen.
#pragma once

#include <string>
#include <string_view>

namespace regatta::results::hdf5 {

/// The seal of a file of these bytes, to be appended to them.
std::string seal_of(std::string_view bytes);

/// Whether `bytes` end in the seal of what stands before it.
bool is_sealed(std::string_view bytes);

}  // namespace regatta::results::hdf5
