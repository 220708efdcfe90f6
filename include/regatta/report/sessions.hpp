// The comparison of two sessions, for the terminal and as JSON.
#pragma once

#include <string>

#include "regatta/analysis/labels.hpp"
#include "regatta/analysis/sessions.hpp"
#include "regatta/report/report.hpp"

namespace regatta::report {

/// Throws InputError if none of the trials of both files can be compared: why, and what to do.
void expect_comparable(const results::Results& old_session, const results::Results& new_session,
                       const analysis::Sessions& sessions);

/// "native graph batch 1: 2.00 us -> 2.40 us, 1.20x slower [1.19, 1.21]"; `axes` are those of the new session.
std::string session_sentence(const results::Results& new_session, const analysis::Axes& axes,
                             const analysis::SessionCell& cell);

std::string terminal_sessions(const results::Results& old_session, const results::Results& new_session,
                              const analysis::Sessions& sessions, const TerminalOptions& options);
/// docs/guide/compare.md; ends with a newline.
std::string json_sessions(const results::Results& old_session, const results::Results& new_session,
                          const analysis::Sessions& sessions);

}  // namespace regatta::report
