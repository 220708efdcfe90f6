// NAME.h5: valid netCDF-4, built whole into a temporary file, verified, fsynced, renamed.
#pragma once

#include <filesystem>
#include <string>

#include "regatta/results/tables.hpp"

namespace regatta::results {

/// Throws StorageError; the old file, if any, is then still whole, and no temporary file is left.
/// The same results give the same bytes.
void write_results(const std::filesystem::path& file, const Results& results);

/// Throws InputError naming the file if it is damaged, was changed since it was written, or is of an unknown version.
Results read_results(const std::filesystem::path& file);

/// Removes what a killed write_results() of the file `name` left in `folder` (.NAME.PID.tmp of a process
/// that is gone). Does nothing if the folder is not there.
void remove_stale_temporaries(const std::filesystem::path& folder, const std::string& name);

}  // namespace regatta::results
