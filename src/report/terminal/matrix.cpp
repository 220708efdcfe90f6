#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include "regatta/analysis/labels.hpp"
#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/contradictions.hpp"
#include "report/findings/findings.hpp"
#include "report/terminal/setting_columns.hpp"
#include "report/terminal/terminal.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;
using stats::Verdict;

constexpr std::size_t indent_columns = 2;     // of a setting below its heading
constexpr std::string_view early_mark = "*";  // behind the ratio; explained below the table

struct Cell {
  std::string text = std::string(dash);
  std::string_view code = {};
  std::string figure = {};  ///< the arm's own, for tables that have room for it
};

/// One setting: what is in words stands above the rows that share it.
struct Setting {
  std::string heading;
  std::string name;         ///< the numbers: "batch 32"
  std::vector<Cell> cells;  ///< one for each arm
};

struct Cells {
  std::vector<std::string> arms;  ///< the baseline first
  std::vector<Setting> settings;
  const Contrast* example = nullptr;  ///< its cell is explained below the table
  bool early = false;
};

/// The name of the one arm that all others are compared with; nothing if there are several.
std::optional<std::string> baseline_of(const View& view) {
  std::optional<std::string> name;
  for (const Contrast& contrast : view.contrasts.contrasts) {
    const std::string other = arm_of(view, contrast.b);
    if (name && *name != other) return std::nullopt;
    name = other;
  }
  return name;
}

/// The numbers of a setting: "batch 32".
std::string numbers_of(const View& view, TrialIndex trial) {
  std::vector<sweep::Param> numbers;
  std::ranges::copy_if(view.axes.stratum, std::back_inserter(numbers),
                       [](sweep::Param param) { return sweep::is_number(sweep::info(param)); });
  return analysis::label(view.results.trials[trial.value].parameters, numbers);
}

std::string interval_of(const Contrast& contrast) {
  if (!contrast.low || !contrast.high) return "";
  return fmt::format(" [{}, {}]", takes_text(*contrast.low), takes_text(*contrast.high));
}

std::string ratio_cell(const Contrast& contrast) {
  const std::string mark(analysis::is_early(contrast) ? early_mark : "");
  if (contrast.difference) {
    const RatioWords words = words_of(judged_ratio(contrast));
    return words.figure + mark + (words.interval.empty() ? "" : " " + words.interval);
  }
  if (contrast.verdict == Verdict::undecided) return "not known yet" + interval_of(contrast);
  return takes_text(contrast.ratio) + "x" + mark + interval_of(contrast);
}

std::string_view code_of(const Contrast& contrast, bool is_contradicted) {
  if (is_contradicted) return ansi::red;
  switch (contrast.verdict) {
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

/// Fills the cells of a view; kept together because its maps are.
class Filling {
 public:
  Filling(const View& view, std::string baseline) : view_(view) {
    arm(std::move(baseline));
    for (const Contradiction& each : contradictions_of(view)) contradicted_.push_back(each.contrast);
  }

  Cells take() {
    for (const Contrast& contrast : view_.contrasts.contrasts) add(contrast);
    for (std::uint32_t i = 0; i < view_.results.trials.size(); ++i) add_without_ratio(TrialIndex{i});
    sort();
    return std::move(cells_);
  }

 private:
  std::size_t arm(const std::string& name) {
    const auto [entry, is_new] = arms_.try_emplace(name, cells_.arms.size());
    if (is_new) cells_.arms.push_back(name);
    for (Setting& setting : cells_.settings) setting.cells.resize(cells_.arms.size());
    return entry->second;
  }

  std::size_t setting(TrialIndex trial) {
    const auto label = analysis::label(view_.results.trials[trial.value].parameters, view_.axes.stratum);
    const auto [entry, is_new] = settings_.try_emplace(label, cells_.settings.size());
    if (is_new) cells_.settings.push_back({clean(heading_of(view_, trial)), clean(numbers_of(view_, trial)), {}});
    cells_.settings[entry->second].cells.resize(cells_.arms.size());
    return entry->second;
  }

  [[nodiscard]] std::string typical_figure(const Contrast& contrast, TrialIndex first,
                                           TrialIndex Contrast::Replicate::*of) const {
    return figure_of(view_, typical_trial(view_, &contrast, first, of));
  }

  void add(const Contrast& contrast) {
    const std::size_t column = arm(arm_of(view_, contrast.a));
    auto& cells = cells_.settings[setting(contrast.b)].cells;
    cells.resize(cells_.arms.size());
    const bool is_contradicted = std::ranges::find(contradicted_, &contrast) != contradicted_.end();
    cells[0] = {typical_figure(contrast, contrast.b, &Contrast::Replicate::b), {}, {}};
    cells[0].figure = cells[0].text;
    const bool is_early = analysis::is_early(contrast);
    cells[column] = {ratio_cell(contrast), code_of(contrast, is_contradicted),
                     typical_figure(contrast, contrast.a, &Contrast::Replicate::a)};
    cells_.early = cells_.early || is_early;
    const bool is_better = cells_.example == nullptr || (analysis::is_early(*cells_.example) && !is_early);
    if (contrast.verdict != Verdict::undecided && contrast.low && is_better) cells_.example = &contrast;
  }

  /// How a trial of a known setting ended that stands in no ratio.
  void add_without_ratio(TrialIndex trial) {
    const results::TrialRow& row = view_.results.trials[trial.value];
    const bool is_finished = std::holds_alternative<sweep::Finished>(row.outcome);
    if (is_finished && row.verified != sweep::Verified::no) return;
    const auto place = settings_.find(analysis::label(row.parameters, view_.axes.stratum));
    const auto column = arms_.find(arm_of(view_, trial));
    if (place == settings_.end() || column == arms_.end()) return;  // an arm without any ratio is listed below
    Cell& cell = cells_.settings[place->second].cells[column->second];
    if (cell.text != dash) return;  // a replicate of it has a ratio
    cell = {is_finished ? "other work" : sweep::status_of(row.outcome), is_finished ? ansi::red : ansi::yellow,
            is_finished ? figure_of(view_, row) : ""};
    if (std::holds_alternative<sweep::Failed>(row.outcome)) cell.code = ansi::red;
  }

  /// Settings with the same heading stand together, in the order in which the plan has them.
  void sort() {
    std::unordered_map<std::string, std::size_t> headings;
    for (const Setting& each : cells_.settings) headings.try_emplace(each.heading, headings.size());
    std::ranges::stable_sort(cells_.settings, {}, [&](const Setting& each) { return headings.at(each.heading); });
  }

  const View& view_;
  std::vector<const Contrast*> contradicted_;
  std::unordered_map<std::string, std::size_t> arms_, settings_;
  Cells cells_;
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

/// A heading with one row needs no line of its own.
bool stands_alone(const Cells& cells, std::size_t setting) {
  const std::string& heading = cells.settings[setting].heading;
  return std::ranges::count(cells.settings, heading, &Setting::heading) == 1 || cells.settings[setting].name.empty();
}

std::string name_in_line(const Setting& setting) {
  return setting.name.empty() || setting.heading.empty() ? setting.heading + setting.name
                                                         : setting.heading + " " + setting.name;
}

/// A column for each of these arms, and a row for each setting that has one of them.
std::vector<MatrixRow> side_by_side(const Cells& cells, const std::vector<std::size_t>& arms) {
  std::vector<MatrixRow> rows;
  for (std::size_t i = 0; i < cells.settings.size(); ++i) {
    const Setting& setting = cells.settings[i];
    const bool alone = stands_alone(cells, i) || setting.heading.empty();
    MatrixRow row{alone ? "" : setting.heading, {{alone ? name_in_line(setting) : indented(setting.name), {}, {}}}};
    for (const std::size_t arm : arms) row.cells.push_back(setting.cells[arm]);
    const bool has_any =
        std::any_of(arms.begin() + 1, arms.end(), [&](std::size_t arm) { return setting.cells[arm].text != dash; });
    if (has_any) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> headers_of(const Cells& cells, const std::vector<std::size_t>& arms) {
  std::vector<std::string> headers = {""};
  for (const std::size_t arm : arms) headers.push_back(clean(cells.arms[arm]));
  return headers;
}

/// The arms of each table: the baseline, and as many others as fit side by side. Empty where one alone does not.
std::vector<std::vector<std::size_t>> arms_of_tables(const Cells& cells, std::size_t columns) {
  std::vector<std::vector<std::size_t>> tables;
  for (std::size_t arm = 1; arm < cells.arms.size(); ++arm) {
    std::vector<std::size_t> wider = tables.empty() ? std::vector<std::size_t>{0} : tables.back();
    wider.push_back(arm);
    const bool fits = total_width(headers_of(cells, wider), side_by_side(cells, wider)) <= columns;
    if (fits && !tables.empty()) {
      tables.back() = std::move(wider);
      continue;
    }
    std::vector<std::size_t> alone = {0, arm};
    if (total_width(headers_of(cells, alone), side_by_side(cells, alone)) > columns) return {};
    tables.push_back(std::move(alone));
  }
  return tables;
}

/// A row for each arm of each setting, or where there are more settings than arms, for each setting of each arm.
std::vector<MatrixRow> below_each_other(const Cells& cells) {
  std::vector<MatrixRow> rows;
  const auto add = [&](const std::string& heading, const std::string& name, const Cell& cell) {
    if (cell.text == dash) return;
    const bool is_baseline = cell.text == cell.figure;
    rows.push_back({heading,
                    {{heading.empty() ? name : indented(name), {}, {}},
                     {cell.figure, {}, {}},
                     {is_baseline ? "" : cell.text, cell.code, {}}}});
  };
  if (cells.settings.size() <= cells.arms.size()) {
    for (const Setting& setting : cells.settings)
      for (std::size_t i = 0; i < cells.arms.size(); ++i) add(name_in_line(setting), cells.arms[i], setting.cells[i]);
  } else {
    for (std::size_t i = 0; i < cells.arms.size(); ++i)
      for (const Setting& setting : cells.settings) add(cells.arms[i], name_in_line(setting), setting.cells[i]);
  }
  return rows;
}

/// "takes 1.59 times as long as native graph": what the example's cell says.
std::string example_text(const View& view, const Contrast& contrast) {
  const std::string cell = ratio_cell(contrast), baseline = clean(arm_of(view, contrast.b));
  if (contrast.difference)
    return fmt::format("{}: {} than {}; the brackets hold the 95 % interval.", cell,
                       words_of(judged_ratio(contrast)).figure, baseline);
  const std::string times = takes_text(contrast.ratio);
  if (sweep::is_step_time(view.contrasts.metric))
    return fmt::format("{}: takes {} times as long as {}; 95 % interval.", cell, times, baseline);
  const std::string noun =
      view.contrasts.result ? view.contrasts.result->name : std::string(sweep::info(view.contrasts.metric).noun);
  return fmt::format("{}: {} times the {} of {}; 95 % interval.", cell, times, noun, baseline);
}

std::string baseline_text(const View& view, const std::string& baseline) {
  const std::string of = analysis::has_replicates(view.contrasts.contrasts.front()) ? ", median over replicates" : "";
  if (sweep::is_step_time(view.contrasts.metric)) return fmt::format("{}: median time of a step{}.", baseline, of);
  if (view.contrasts.result)
    return fmt::format("{}: {}, as the program reports it{}.", baseline, view.contrasts.result->name, of);
  return fmt::format("{}: {}{}.", baseline, sweep::info(view.contrasts.metric).noun, of);
}

}  // namespace

std::string figure_of(const View& view, const results::TrialRow& trial) {
  if (!std::holds_alternative<sweep::Finished>(trial.outcome)) return sweep::status_of(trial.outcome);
  if (view.contrasts.result) return result_text(trial, view.contrasts.result->name);
  return figure_text(trial, view.contrasts.metric);
}

Matrix matrix_of(const View& view, const TerminalOptions& options, const Style& style) {
  const auto baseline = baseline_of(view);
  if (!baseline) return {};
  const Cells cells = Filling(view, *baseline).take();
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 20));
  std::vector<MatrixTable> tables;
  for (const auto& arms : arms_of_tables(cells, columns))
    tables.push_back({headers_of(cells, arms), side_by_side(cells, arms)});
  if (tables.empty())
    tables.push_back(
        {{"", sweep::is_step_time(view.contrasts.metric) ? "time per step" : "", "ratio"}, below_each_other(cells)});
  Matrix matrix{{}, cells.early};
  std::size_t room = static_cast<std::size_t>(std::max(options.most_rows, 0)), left_out = 0;
  for (MatrixTable& table : tables) {
    const std::size_t shown = std::min(room, table.rows.size());
    left_out += table.rows.size() - shown;
    room -= shown;
    table.rows.resize(shown);
    if (shown == 0) continue;
    matrix.text += (matrix.text.empty() ? "" : "\n") + lines_with_headings(table.headers, table.rows, style, columns);
  }
  if (left_out > 0) matrix.text += fmt::format("... {} more rows, all in the result file\n", left_out);
  matrix.text += '\n';
  paragraph(matrix.text, baseline_text(view, clean(*baseline)), columns, indent_columns);
  if (cells.example != nullptr) paragraph(matrix.text, example_text(view, *cells.example), columns, indent_columns);
  return matrix;
}

}  // namespace regatta::report
