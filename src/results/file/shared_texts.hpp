// Columns of text in which few texts stand again and again. HDF5 stores a text of a column apart, and in the column
// where it lies. Here each text is stored once, and all its rows name that one place: any reader of HDF5 follows them.
#pragma once

#include <string>
#include <vector>

#include "results/file/handles.hpp"

namespace regatta::results::hdf5 {

/// Writes all of a new column that is stored in chunks without filters. False where most rows have a text of their own:
/// then nothing was written.
bool write_shared(hid_t dataset, hid_t type, const std::vector<std::string>& values);

/// Whether the column, however it was written, holds these texts. What is shared is read once.
bool holds_texts(hid_t dataset, hid_t type, const std::vector<std::string>& values);

}  // namespace regatta::results::hdf5
