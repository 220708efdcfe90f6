// NAME.h5: valid netCDF-4, built whole into a temporary file, verified, fsynced, renamed.
#pragma once

#include <filesystem>

#include "regatta/results/tables.hpp"

namespace regatta::results {

/// Throws StorageError; the old file, if any, is then still whole.
void write_results(const std::filesystem::path& file, const Results& results);

/// Throws InputError naming the file and what is missing or of an unknown version.
Results read_results(const std::filesystem::path& file);

}  // namespace regatta::results
