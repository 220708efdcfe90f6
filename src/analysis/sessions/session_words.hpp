// The sentences about two sessions.
#pragma once

#include "regatta/analysis/session_cells.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Texts of the cells, notes and headline.
void add_words(Sessions& sessions, const results::Results& old_session, const results::Results& new_session);

}  // namespace regatta::analysis
