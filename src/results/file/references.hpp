// Rows of results name rows of other tables by their number.
#pragma once

#include "regatta/results/tables.hpp"

namespace regatta::results {

/// Throws InputError naming the table with a row that names one that is not there, or a trial without an engine: no
/// reader takes such a file.
void expect_references(const Results& results);

}  // namespace regatta::results
