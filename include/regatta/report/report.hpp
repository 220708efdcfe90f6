// The forms of the report: the terminal's table, one JSON document, one HTML page.
#pragma once

#include <string>
#include <vector>

#include "regatta/analysis/findings.hpp"
#include "regatta/report/terminal_options.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

std::string terminal(const results::Results& results, const analysis::Findings& findings,
                     const TerminalOptions& options);
std::string json(const results::Results& results,
                 const analysis::Findings& findings);  ///< docs/reference/report-json.md; ends with a newline
std::string html(const results::Results& results,
                 const analysis::Findings& findings);  ///< self-contained, no script needed

/// For each contrast, in order, its sentence.
std::vector<std::string> contrast_sentences(const results::Results& results, const analysis::Contrasts& contrasts);

/// For each contrast, in order: why a check contradicts its verdict; empty where none does.
std::vector<std::string> contradictions(const results::Results& results, const analysis::Findings& findings);

/// A command that makes sense after this one, and what it is for.
struct NextStep {
  std::string command;
  std::string purpose;
};
std::vector<NextStep> next_steps(const results::Results& results, const analysis::Findings& findings);

}  // namespace regatta::report
