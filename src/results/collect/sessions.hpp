// The sessions of a journal, and what each said of itself.
#pragma once

#include <vector>

#include "regatta/results/journal.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::results {

/// In the order of time. Throws InputError for a record that cannot be read.
std::vector<SessionRow> sessions_of(const std::vector<Record>& records);

}  // namespace regatta::results
