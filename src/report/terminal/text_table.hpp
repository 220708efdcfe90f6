// Columns of text on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/terminal/terminal.hpp"

namespace regatta::report {

struct Column {
  std::string header;
  bool right = false;                        ///< numbers line up at their right end
  int dispensable = 0;                       ///< 0: always shown; the highest goes first where the terminal is narrow
  std::vector<std::string> cells = {};       ///< clean text
  std::vector<std::string_view> codes = {};  ///< style of each cell (style.hpp); empty: none
};

inline constexpr std::size_t column_gap = 2;

/// Columns, gaps included.
std::size_t total_width(const std::vector<Column>& columns);

/// Leaves out dispensable columns until the rest fits, or none is left.
void fit(std::vector<Column>& columns, std::size_t terminal_columns);

/// Line 0 is the header, line i + 1 row i; no blanks at the end.
std::vector<std::string> lines_of(const std::vector<Column>& columns, const Style& style = {false});

}  // namespace regatta::report
