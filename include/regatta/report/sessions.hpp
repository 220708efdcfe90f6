// What people see of two sessions.
#pragma once

#include <string>

#include "regatta/analysis/sessions.hpp"
#include "regatta/report/report.hpp"

namespace regatta::report {

std::string terminal_sessions(const results::Results& old_session, const results::Results& new_session,
                              const analysis::Sessions& sessions, const TerminalOptions& options);
/// docs/compare.md; ends with a newline.
std::string json_sessions(const results::Results& old_session, const results::Results& new_session,
                          const analysis::Sessions& sessions);

}  // namespace regatta::report
