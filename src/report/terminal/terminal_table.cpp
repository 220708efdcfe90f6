// A chosen table on a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "regatta/report/export.hpp"
#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t widest_cell = 40;

bool is_id(const std::string& column) { return column.ends_with("_hash"); }

/// The fewest digits, at least 8, in which all ids of a column differ.
std::size_t digits_needed(const results::TableColumn& column, const std::vector<std::size_t>& rows) {
  std::vector<std::string> ids;
  for (const std::size_t row : rows) ids.push_back(sweep::to_text(column.at(row)));
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::size_t digits = 8;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const auto differ = std::ranges::mismatch(ids[i - 1], ids[i]);
    digits = std::max(digits, static_cast<std::size_t>(differ.in2 - ids[i].begin()) + 1);
  }
  return digits;
}

std::string number_text(double value, const results::TableColumn& column) {
  if (!std::isfinite(value)) return std::string(dash);
  if (column.name == "t_start" || column.name == "t_end") return fmt::format("{:.3f}", value);  // a date, or a clock
  if (column.unit == "s") return duration_text(value);
  if (column.unit == "byte") return size_text(value);
  return column.unit == "s-1" ? rate_text(value) : fmt::format("{:.4g}", value);
}

std::string cell_text(const sweep::Value& value, const results::TableColumn& column, std::size_t id_digits) {
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number, column);
  const std::string text = clean(sweep::to_text(value));
  return is_id(column.name) ? text.substr(0, id_digits) : clip(text, widest_cell);
}

Column shown(const results::Table& table, const results::TableColumn& column, int place, std::size_t rows) {
  Column shown{column.name, column.number, place, {}};
  const std::size_t digits = is_id(column.name) ? digits_needed(column, table.rows) : 0;
  for (std::size_t i = 0; i < rows; ++i) shown.cells.push_back(cell_text(column.at(table.rows[i]), column, digits));
  return shown;
}

/// Names of the columns that did not fit.
std::vector<std::string> left_out(const results::Table& table, const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const results::TableColumn& column : table.columns) {
    if (std::ranges::find(columns, column.name, &Column::header) == columns.end()) names.push_back(column.name);
  }
  return names;
}

}  // namespace

std::string terminal_table(const results::Table& table, const TerminalOptions& options) {
  const std::size_t rows = std::min(table.rows.size(), static_cast<std::size_t>(options.most_rows));
  std::vector<Column> columns;
  for (const results::TableColumn& column : table.columns)
    columns.push_back(shown(table, column, static_cast<int>(columns.size()), rows));
  fit(columns, static_cast<std::size_t>(options.columns));
  std::string text;
  for (const std::string& line : lines_of(columns)) text += line + "\n";
  if (rows < table.rows.size()) text += fmt::format("and {} more rows (--json lists all)\n", table.rows.size() - rows);
  if (const auto names = left_out(table, columns); !names.empty()) {
    const std::string note = fmt::format("not shown here: {}; choose with --columns", fmt::join(names, ", "));
    for (const std::string& line : wrap(note, static_cast<std::size_t>(options.columns))) text += line + "\n";
  }
  return text;
}

}  // namespace regatta::report
