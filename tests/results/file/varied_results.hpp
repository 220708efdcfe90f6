// Results in which every kind of row and outcome stands, and files of them that are damaged on purpose.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <functional>

#include "regatta/results/tables.hpp"

namespace regatta::results {

/// Three blocks: one whole, one at its third attempt with a failed arm, one lost; and skipped trials.
Results varied_results();

/// Fails the running test for each difference.
void expect_same(const Results& a, const Results& b);

/// Opens the file with the plain C API, hands it to `change` and seals it again.
void edit(const std::filesystem::path& file, const std::function<void(hid_t)>& change);

}  // namespace regatta::results
