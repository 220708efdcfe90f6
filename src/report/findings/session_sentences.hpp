// Two sessions in sentences: what became slower, what a reader must know, and why trials were not compared.
#pragma once

#include <string>
#include <vector>

#include "regatta/analysis/session_cells.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

/// "NEW is slower in 1 of 3 trials: 1.20x slower [1.19, 1.21] in native graph batch 1; 1 faster, 1 same".
std::string session_headline(const results::Results& new_session, const analysis::Sessions& sessions);

/// The floor between the sessions, what identical code showed, and what else changed between them.
std::vector<std::string> session_notes(const results::Results& old_session, const results::Results& new_session,
                                       const analysis::Sessions& sessions);

/// "failed in NEW: crashed: signal 11".
std::string not_compared_text(const results::Results& old_session, const results::Results& new_session,
                              const analysis::Sessions& sessions, const analysis::NotCompared& trial);

}  // namespace regatta::report
