// Counts how often somebody looked at a test part: who looks again may choose by what was seen.
#pragma once

#include <filesystem>

#include "regatta/results/tables.hpp"

namespace regatta::results {

/// Passes of `regatta run` that handed out a test of the data on which the sweep of the folder NAME.regatta trains, be
/// they of this sweep or of others whose folders lie beside it. A pass that was killed counts, and so does the
/// one that goes on with it.
TestOpenings test_openings(const std::filesystem::path& folder);

}  // namespace regatta::results
