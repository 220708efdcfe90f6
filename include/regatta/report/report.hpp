// What people see: the terminal's table, one JSON document, one HTML page.
#pragma once

#include <string>
#include <vector>

#include "regatta/analysis/contrasts.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

struct TerminalOptions {
  int columns = 80;
  bool colour = false;
  int most_rows = 400;  ///< trials listed; the rest is counted
};

std::string terminal(const results::Results& results, const analysis::Contrasts& contrasts,
                     const TerminalOptions& options);
std::string json(const results::Results& results,
                 const analysis::Contrasts& contrasts);  ///< docs/results.md; ends with a newline
std::string html(const results::Results& results,
                 const analysis::Contrasts& contrasts);  ///< self-contained, no script needed

/// A command that makes sense after this one, and what it is for.
struct NextStep {
  std::string command;
  std::string purpose;
};
std::vector<NextStep> next_steps(const results::Results& results, const analysis::Contrasts& contrasts);

}  // namespace regatta::report
