// Datasets of an HDF5 file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// The dataset of this name; without one "x" and, where it is there, "y". The library crashes on some damaged files:
/// a process of its own reads it, the program regatta-read-hdf5, under limits. Throws InputError for what is damaged,
/// is no numbers, lies in other files or takes more than the cap; and where that program is not built.
std::vector<Array> read_hdf5(const std::string& path, const std::string& dataset, std::uint64_t memory_cap_bytes);

}  // namespace regatta::data
