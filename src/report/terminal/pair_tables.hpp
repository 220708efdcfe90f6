// On a terminal: for each pair of arms a table, a row for each setting in which they were compared.
#pragma once

#include <cstddef>
#include <string>

#include "regatta/report/report.hpp"
#include "report/findings/view.hpp"
#include "report/terminal/style.hpp"

namespace regatta::report {

struct PairTables {
  std::string text;            ///< empty without contrasts
  bool has_processes = false;  ///< some table had room for their column
  bool has_bars = false;
};

/// Most extreme pair first, at most `options.most_rows` rows in all.
PairTables pair_tables(const View& view, const TerminalOptions& options, const Style& style);

}  // namespace regatta::report
