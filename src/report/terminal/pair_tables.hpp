// On a terminal: for each pair of arms a table, a row for each setting in which they were compared.
#pragma once

#include <cstddef>
#include <string>

#include "regatta/report/report.hpp"
#include "report/findings/view.hpp"
#include "report/terminal/style.hpp"

namespace regatta::report {

/// Most extreme pair first, at most `options.most_rows` rows in all; empty without contrasts.
std::string pair_tables(const View& view, const TerminalOptions& options, const Style& style);

}  // namespace regatta::report
