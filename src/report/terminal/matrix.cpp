#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/terminal/terminal.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {
namespace {

using stats::Verdict;

constexpr std::size_t indent_columns = 2;  // indentation of a setting below its heading

std::string_view code_of(const MatrixCell& cell) {
  if (!cell.status.empty()) return cell.is_bad ? ansi::red : ansi::yellow;
  if (cell.contrast == nullptr) return {};
  if (cell.is_contradicted) return ansi::red;
  switch (cell.contrast->verdict) {
    case Verdict::faster:
      return ansi::green;
    case Verdict::undecided:
      return ansi::yellow;
    case Verdict::slower:
    case Verdict::same:
      break;
  }
  return {};
}

struct Cell {
  std::string text;
  std::string_view code = {};
};

struct MatrixRow {
  std::string heading;  ///< stands above the row unless it stands there already
  std::vector<Cell> cells;
};

struct MatrixTable {
  std::vector<std::string> headers;
  std::vector<MatrixRow> rows;
};

/// Headers and rows of cells as lines, each heading once.
std::string lines_with_headings(const std::vector<std::string>& headers, const std::vector<MatrixRow>& rows,
                                const Style& style, std::size_t terminal_columns) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    Column column{headers[i], i > 0, 0, {}, {}};
    for (const MatrixRow& row : rows) {
      column.cells.push_back(row.cells[i].text);
      column.codes.push_back(row.cells[i].code);
    }
    columns.push_back(std::move(column));
  }
  const auto lines = lines_of(columns, style);
  std::string out = lines.front() + '\n', heading;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].heading != heading && !rows[i].heading.empty())
      out += style.bold(clip(rows[i].heading, terminal_columns)) + '\n';
    heading = rows[i].heading;
    out += lines[i + 1] + '\n';
  }
  return out;
}

std::size_t total_width(const std::vector<std::string>& headers, const std::vector<MatrixRow>& rows) {
  std::size_t total = headers.empty() ? 0 : column_gap * (headers.size() - 1);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    std::size_t widest = width(headers[i]);
    for (const MatrixRow& row : rows) widest = std::max(widest, width(row.cells[i].text));
    total += widest;
  }
  return total;
}

std::string indented(const std::string& name) { return std::string(indent_columns, ' ') + name; }

/// A column for each of these arms, and a row for each setting that has one of them.
std::vector<MatrixRow> side_by_side(const ComparisonMatrix& matrix, const std::vector<std::size_t>& arms) {
  std::vector<MatrixRow> rows;
  for (const MatrixSetting& setting : matrix.settings) {
    const bool alone = setting.stands_alone;  // a heading with one row needs no line of its own
    MatrixRow row{alone ? "" : setting.heading, {{alone ? setting_name(setting) : indented(setting.name)}}};
    for (const std::size_t arm : arms)
      row.cells.push_back({cell_text(setting.cells[arm]), code_of(setting.cells[arm])});
    const bool has_any =
        std::any_of(arms.begin() + 1, arms.end(), [&](std::size_t arm) { return !setting.cells[arm].is_empty(); });
    if (has_any) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> headers_of(const ComparisonMatrix& matrix, const std::vector<std::size_t>& arms) {
  std::vector<std::string> headers = {""};
  for (const std::size_t arm : arms) headers.push_back(clean(matrix.arms[arm]));
  return headers;
}

/// The arms of each table: the baseline, and as many others as fit side by side. Empty where one alone does not.
std::vector<std::vector<std::size_t>> arms_of_tables(const ComparisonMatrix& matrix, std::size_t columns) {
  std::vector<std::vector<std::size_t>> tables;
  for (std::size_t arm = 1; arm < matrix.arms.size(); ++arm) {
    std::vector<std::size_t> wider = tables.empty() ? std::vector<std::size_t>{0} : tables.back();
    wider.push_back(arm);
    const bool fits = total_width(headers_of(matrix, wider), side_by_side(matrix, wider)) <= columns;
    if (fits && !tables.empty()) {
      tables.back() = std::move(wider);
      continue;
    }
    std::vector<std::size_t> alone = {0, arm};
    if (total_width(headers_of(matrix, alone), side_by_side(matrix, alone)) > columns) return {};
    tables.push_back(std::move(alone));
  }
  return tables;
}

/// A row for each arm of each setting, or where there are more settings than arms, for each setting of each arm.
std::vector<MatrixRow> below_each_other(const ComparisonMatrix& matrix) {
  std::vector<MatrixRow> rows;
  const auto add = [&](const std::string& heading, const std::string& name, const MatrixCell& cell) {
    if (cell.is_empty()) return;
    const bool is_baseline = cell.contrast == nullptr && cell.status.empty();
    rows.push_back({heading,
                    {{heading.empty() ? name : indented(name)},
                     {cell.figure},
                     {is_baseline ? "" : cell_text(cell), code_of(cell)}}});
  };
  if (matrix.settings.size() <= matrix.arms.size()) {
    for (const MatrixSetting& setting : matrix.settings)
      for (std::size_t i = 0; i < matrix.arms.size(); ++i) add(setting_name(setting), matrix.arms[i], setting.cells[i]);
  } else {
    for (std::size_t i = 0; i < matrix.arms.size(); ++i)
      for (const MatrixSetting& setting : matrix.settings) add(matrix.arms[i], setting_name(setting), setting.cells[i]);
  }
  return rows;
}

}  // namespace

std::string matrix_table(const View& view, const TerminalOptions& options, const Style& style) {
  const auto matrix = comparison_matrix(view);
  if (!matrix) return {};
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 20));
  std::vector<MatrixTable> tables;
  for (const auto& arms : arms_of_tables(*matrix, columns))
    tables.push_back({headers_of(*matrix, arms), side_by_side(*matrix, arms)});
  if (tables.empty())
    tables.push_back(
        {{"", sweep::is_step_time(view.contrasts.metric) ? "time per step" : "", "ratio"}, below_each_other(*matrix)});
  std::string text;
  std::size_t room = static_cast<std::size_t>(std::max(options.most_rows, 0)), left_out = 0;
  for (MatrixTable& table : tables) {
    const std::size_t shown = std::min(room, table.rows.size());
    left_out += table.rows.size() - shown;
    room -= shown;
    table.rows.resize(shown);
    if (shown == 0) continue;
    text += (text.empty() ? "" : "\n") + lines_with_headings(table.headers, table.rows, style, columns);
  }
  if (left_out > 0) text += fmt::format("... {} more rows, all in the result file\n", left_out);
  text += '\n';
  for (const std::string& line : matrix_legend(view, *matrix)) paragraph(text, line, columns, indent_columns);
  return text;
}

}  // namespace regatta::report
