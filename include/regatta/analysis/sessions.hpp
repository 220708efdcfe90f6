// Two sessions of the same trials, one after the other: has anything become slower? Nothing was interleaved, so the
// session itself is an effect, and what it does to identical code is the floor of every verdict (measuring.md, R5).
#pragma once

#include "regatta/analysis/session_cells.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::analysis {

/// Throws InputError if both are one session, if they have no trial in common, or if hosts or devices differ and that
/// is not wanted. No cells where none of the common trials can be compared. O(samples + cells x units^3).
Sessions compare_sessions(const results::Results& old_session, const results::Results& new_session,
                          const SessionOptions& options = {});

}  // namespace regatta::analysis
