#include "report/terminal/text_table.hpp"

#include <algorithm>

#include "regatta/report/text.hpp"

namespace regatta::report {
namespace {

std::size_t column_width(const Column& column) {
  std::size_t widest = width(column.header);
  for (const auto& cell : column.cells) widest = std::max(widest, width(cell));
  return widest;
}

/// Blanks keep their place outside of the colour, so that a line still ends where its text does.
void append(std::string& line, const std::string& cell, std::size_t columns, bool right, std::string_view code,
            const Style& style) {
  const std::string blanks(columns - std::min(columns, width(cell)), ' ');
  const std::string text = cell.empty() ? cell : style.in(code, cell);
  line += right ? blanks + text : text + blanks;
}
}  // namespace

std::size_t total_width(const std::vector<Column>& columns) {
  std::size_t total = columns.empty() ? 0 : column_gap * (columns.size() - 1);
  for (const auto& column : columns) total += column_width(column);
  return total;
}

void fit(std::vector<Column>& columns, std::size_t terminal_columns) {
  while (total_width(columns) > terminal_columns) {
    const auto least = std::max_element(columns.begin(), columns.end(),
                                        [](const auto& x, const auto& y) { return x.dispensable < y.dispensable; });
    if (least == columns.end() || least->dispensable == 0) return;
    columns.erase(least);
  }
}

std::vector<std::string> lines_of(const std::vector<Column>& columns, const Style& style) {
  const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  std::vector<std::string> lines(rows + 1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& column = columns[i];
    const std::size_t columns_wide = column_width(column);
    for (std::size_t row = 0; row <= rows; ++row) {
      if (i > 0) lines[row].append(column_gap, ' ');
      const bool is_coloured = row > 0 && row <= column.codes.size();
      append(lines[row], row == 0 ? column.header : column.cells[row - 1], columns_wide, column.right,
             is_coloured ? column.codes[row - 1] : std::string_view(), style);
    }
  }
  for (auto& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

}  // namespace regatta::report
