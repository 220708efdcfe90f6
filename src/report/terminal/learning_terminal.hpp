// The report of a training sweep on a terminal.
#pragma once

#include <string>

#include "regatta/report/terminal_options.hpp"
#include "report/findings/view.hpp"
#include "report/terminal/style.hpp"

namespace regatta::report {

/// All below the lines that say what ran where.
std::string learning_terminal(const View& view, const TerminalOptions& options, const Style& style);

/// The ranking: a line for each configuration, or two where what varies needs a line of its own.
std::string ranking_table(const View& view, const TerminalOptions& options, const Style& style);

}  // namespace regatta::report
