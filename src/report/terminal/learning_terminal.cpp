#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "regatta/report/report.hpp"
#include "regatta/report/text.hpp"
#include "report/findings/learning_words.hpp"
#include "report/terminal/terminal.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {
namespace {

using analysis::Ranked;

constexpr std::size_t word_columns = 9;  // "Stopped  "
constexpr std::size_t legend_indent = 2;
constexpr int rows_of_answer = 5;

template <class Text>
Column column(std::string header, bool right, int dispensable, const std::vector<Ranked>& rows, Text text) {
  Column made{std::move(header), right, dispensable, {}, {}};
  for (const Ranked& row : rows) made.cells.push_back(clean(text(row)));
  return made;
}

std::vector<Ranked> shown_rows(const Learning& learning, const TerminalOptions& options) {
  std::vector<Ranked> rows = learning.ranking;
  rows.resize(std::min(rows.size(), static_cast<std::size_t>(std::max(options.most_rows, 0))));
  return rows;
}

Column rank_column(const std::vector<Ranked>& rows) {
  Column ranks{"rank", true, 0, {}, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) ranks.cells.push_back(std::to_string(i + 1));
  return ranks;
}

std::vector<Column> figure_columns(const Learning& learning, const std::vector<Ranked>& rows) {
  const bool is_accuracy = analysis::is_accuracy(learning.objective.metric);
  std::vector<Column> columns;
  if (learning.search) {
    columns.push_back(column("search saw", true, 0, rows,
                             [&](const Ranked& row) { return quality_text(is_accuracy, row.searched.value_or(NAN)); }));
  }
  columns.push_back(column("validation [95 %]", false, 0, rows,
                           [&](const Ranked& row) { return figure_text(is_accuracy, row.validation); }));
  if (std::ranges::any_of(rows, [](const Ranked& row) { return !row.test.by_seed.empty(); })) {
    columns.push_back(column("test [95 %]", false, 0, rows,
                             [&](const Ranked& row) { return figure_text(is_test_accuracy(learning), row.test); }));
  }
  columns.push_back(column("behind", false, 0, rows, [&](const Ranked& row) { return behind_text(learning, row); }));
  columns.push_back(column("in set", false, 0, rows, [&](const Ranked& row) { return in_set_text(learning, row); }));
  if (learning.objective.target) columns.push_back(column(target_name(learning), false, 0, rows, target_text));
  columns.push_back(column("time", true, 4, rows, [](const Ranked& row) {
    return row.train_seconds.by_seed.empty() ? std::string(dash) : duration_text(row.train_seconds.mean.value);
  }));
  columns.push_back(column("seeds", true, 5, rows, [](const Ranked& row) {
    return std::to_string(row.validation.by_seed.size() + row.diverged);
  }));
  const bool any_diverged = std::ranges::any_of(rows, [](const Ranked& row) { return row.diverged > 0; });
  columns.push_back(column(learning.failures.empty() ? "diverged" : "no result", true, any_diverged ? 0 : 6, rows,
                           [](const Ranked& row) { return std::to_string(row.diverged); }));
  return columns;
}

/// One for each axis that tells rows apart.
std::vector<Column> axis_columns(const View& view, const Learning& learning, const std::vector<Ranked>& rows) {
  std::vector<Column> columns;
  for (const sweep::Param param : learning.axes) {
    Column made = column(std::string(sweep::name_of(param)), sweep::is_number(sweep::info(param)), 0, rows,
                         [&](const Ranked& row) { return level_text(view, param, row.trial); });
    if (rows.size() == 1 || std::ranges::adjacent_find(made.cells, std::ranges::not_equal_to()) != made.cells.end())
      columns.push_back(std::move(made));
  }
  return columns;
}

/// Levels that all rows of the table have.
std::string shared_levels(const View& view, const Learning& learning, const std::vector<Ranked>& rows) {
  std::string text;
  if (rows.size() < 2) return text;
  for (const sweep::Param param : learning.axes) {
    const auto level = [&](const Ranked& row) { return level_text(view, param, row.trial); };
    if (!std::ranges::all_of(rows, [&](const Ranked& row) { return level(row) == level(rows.front()); })) continue;
    text += (text.empty() ? "" : ", ") + std::string(sweep::name_of(param)) + " " + level(rows.front());
  }
  return text;
}

}  // namespace

std::string ranking_table(const View& view, const TerminalOptions& options, const Style& style) {
  const Learning& learning = *view.learning;
  const std::vector<Ranked> rows = shown_rows(learning, options);
  if (rows.empty()) return {};
  const auto terminal_columns = static_cast<std::size_t>(std::max(options.columns, 20));
  const auto with_rank = [&](std::vector<Column> between) {
    std::vector<Column> all = {rank_column(rows)};
    for (Column& each : between) all.push_back(std::move(each));
    for (Column& each : figure_columns(learning, rows)) all.push_back(std::move(each));
    fit(all, terminal_columns);
    return all;
  };
  // Where the figures and what varies do not fit beside each other, what varies has lines of its own.
  std::vector<Column> columns = with_rank(axis_columns(view, learning, rows));
  const bool has_own_lines = total_width(columns) > terminal_columns;
  if (has_own_lines) columns = with_rank({});
  if (total_width(columns) > terminal_columns) {  // the leader's stands in the headline
    std::erase_if(columns, [](const Column& each) { return each.header == "search saw"; });
  }
  // So has how soon the target is reached.
  const bool target_has_lines = has_own_lines && learning.objective.target && total_width(columns) > terminal_columns;
  if (target_has_lines)
    std::erase_if(columns, [&](const Column& each) { return each.header == target_name(learning); });
  const auto lines = lines_of(columns, style);
  const std::string shared = has_own_lines ? "" : shared_levels(view, learning, rows);
  std::string out = '\n' + style.bold(learning.search ? "Finalists" : "Configurations") +
                    (shared.empty() ? "" : ", all with " + clean(shared)) + '\n' + lines.front() + '\n';
  for (std::size_t row = 0; row < rows.size(); ++row) {
    out += lines[row + 1] + '\n';
    const std::string target = target_has_lines ? "; " + target_name(learning) + ": " + target_text(rows[row]) : "";
    if (has_own_lines)
      paragraph(out, configuration_text(view, learning, rows[row].trial) + target, terminal_columns, 6);
  }
  if (rows.size() < learning.ranking.size())
    out += fmt::format("... {} more, all in the page and with --details\n", learning.ranking.size() - rows.size());
  return out;
}

namespace {

/// The answer, and the first rows of the ranking with its legend.
std::string answer_and_ranking(const View& view, const TerminalOptions& options, const Style& style) {
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 20));
  std::string out;
  for (const auto& sentence : learning_headline(view, *view.learning)) paragraph(out, sentence + ".", columns, 0);
  const std::string table = ranking_table(view, options, style);
  out += table;
  if (!table.empty()) paragraph(out, learning_legend(*view.learning), columns, options.details ? 0 : legend_indent);
  return out;
}

}  // namespace

std::string learning_answer(const View& view, const TerminalOptions& options, const Style& style) {
  const Learning& learning = *view.learning;
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 20));
  TerminalOptions few = options;
  few.most_rows = std::min(options.most_rows, rows_of_answer);
  std::string out = answer_and_ranking(view, few, style);
  const auto warnings = learning_warnings(view, learning);
  if (!warnings.empty()) out += '\n';
  for (const std::string& warning : warnings) hanging(out, "Note", word_columns, warning, columns, style);
  return out;
}

std::string learning_details(const View& view, const TerminalOptions& options, const Style& style) {
  const Learning& learning = *view.learning;
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 20));
  std::string out = answer_and_ranking(view, options, style) + '\n';
  const auto say = [&](std::string_view word, const std::string& text) {
    if (!text.empty()) hanging(out, word, word_columns, text, columns, style);
  };
  say("Stopped", stopped_text(learning));
  say("Noise", noise_text(learning));
  say("Cost", cost_text(learning));
  std::string_view word = "Trust";
  for (const std::string& line : learning_trust(view, learning)) {
    say(word, line);
    word = "";
  }
  return out;
}

}  // namespace regatta::report
