#include <fmt/format.h>

#include <algorithm>

#include "regatta/analysis/labels.hpp"
#include "regatta/report/sessions.hpp"
#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/terminal/text_table.hpp"

namespace regatta::report {
namespace {

using analysis::SessionCell;

constexpr std::size_t cell_columns = 34;
constexpr std::size_t trials_shown = 8;

/// Judged ones first, regressions at the top; order of the trials else.
std::vector<const SessionCell*> in_order(const analysis::Sessions& sessions) {
  const auto rank = [](const SessionCell& cell) {
    if (!cell.judged) return 3;
    if (cell.verdict == stats::Verdict::slower) return 0;
    return 2;
  };
  std::vector<const SessionCell*> cells;
  for (const auto& cell : sessions.cells) cells.push_back(&cell);
  std::stable_sort(cells.begin(), cells.end(), [&](const auto* x, const auto* y) { return rank(*x) < rank(*y); });
  return cells;
}

std::string version_cell(const SessionCell& cell) {
  const std::string before = cell.old_version.empty() ? std::string(dash) : cell.old_version;
  const std::string after = cell.new_version.empty() ? std::string(dash) : cell.new_version;
  return before == after ? before : before + " -> " + after;
}

std::vector<Column> table(const std::vector<const SessionCell*>& cells, const results::Results& results) {
  const auto axes = analysis::axes_of(results);
  std::vector<Column> columns = {{"trial", false, 0, {}},  {"version", false, 3, {}}, {"old -> new", true, 1, {}},
                                 {"NEW is", false, 0, {}}, {"95 %", false, 0, {}},    {"same up to", true, 2, {}}};
  for (const auto* cell : cells) {
    const std::string figure = words_of(judged_ratio(*cell)).figure;
    const std::string values[] = {
        trial_label(results.trials[cell->in_new.value].parameters, axes),
        version_cell(*cell),
        value_text(cell->old_value, cell->metric) + " -> " + value_text(cell->new_value, cell->metric),
        cell->judged ? figure : "(" + figure + ")",
        interval_text(judged_ratio(*cell)),
        fmt::format("{:.2g} %", 100 * cell->indifference())};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(clip(clean(values[i]), cell_columns));
  }
  return columns;
}

std::string names(const std::vector<TrialIndex>& trials, const results::Results& results) {
  const auto axes = analysis::axes_of(results);
  std::string text;
  for (std::size_t i = 0; i < std::min(trials.size(), trials_shown); ++i)
    text += (i > 0 ? ", " : "") + trial_label(results.trials[trials[i].value].parameters, axes);
  return trials.size() > trials_shown ? text + fmt::format(" and {} more", trials.size() - trials_shown) : text;
}

std::string session_line(const char* name, const results::Results& results) {
  const auto& from = results.provenance;
  return fmt::format("{}  {}, {}{}", name, results.name, from.created,
                     from.git_commit.empty() ? "" : ", commit " + from.git_commit.substr(0, 12));
}

}  // namespace

std::string terminal_sessions(const results::Results& old_session, const results::Results& new_session,
                              const analysis::Sessions& sessions, const TerminalOptions& options) {
  const auto columns = static_cast<std::size_t>(std::max(options.columns, 20));
  const auto bold = [&](const std::string& text) { return options.colour ? "\x1b[1m" + text + "\x1b[0m" : text; };
  std::string out;
  paragraph(out, session_headline(new_session, sessions), columns, 0);
  out += '\n';
  paragraph(out, session_line("OLD", old_session), columns, 0);
  paragraph(out, session_line("NEW", new_session), columns, 0);
  out += '\n';
  auto cells = in_order(sessions);
  const std::size_t shown = std::min(cells.size(), static_cast<std::size_t>(std::max(options.most_rows, 0)));
  const std::size_t left_out = cells.size() - shown;
  cells.resize(shown);
  auto made = table(cells, new_session);
  fit(made, columns);
  const auto lines = lines_of(made);
  out += bold(lines.front()) + '\n';
  for (std::size_t row = 1; row < lines.size(); ++row) out += lines[row] + '\n';
  if (left_out > 0) out += fmt::format("... {} more trials, all with --json\n", left_out);
  const bool has_checks = std::ranges::any_of(sessions.cells, [](const auto& cell) { return !cell.judged; });
  paragraph(out,
            fmt::format("NEW is: by its {}; 95 %: interval", sweep::info(sessions.metric).noun) +
                (has_checks ? "; in round brackets: checks of the same code" : ""),
            columns, 0);
  for (const auto& note : session_notes(old_session, new_session, sessions)) paragraph(out, note, columns, 0);
  for (const auto& each : sessions.not_compared)
    paragraph(out,
              "not compared: " + names({each.in_new}, new_session) + ": " +
                  not_compared_text(old_session, new_session, sessions, each),
              columns, 0);
  if (!sessions.only_old.empty()) paragraph(out, "only in OLD: " + names(sessions.only_old, old_session), columns, 0);
  if (!sessions.only_new.empty()) paragraph(out, "only in NEW: " + names(sessions.only_new, new_session), columns, 0);
  return out;
}

}  // namespace regatta::report
