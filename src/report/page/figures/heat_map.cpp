#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "regatta/report/wording.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using sweep::Param;

constexpr std::size_t most_heat_map_rows = 40;
constexpr std::size_t most_columns = 14;

/// Levels of the parameter across, integers in increasing order, texts as they are met.
struct Columns {
  Param param = Param::batch;
  std::vector<sweep::Value> levels;
};

struct Row {
  std::string name;
  std::vector<std::optional<TrialIndex>> cells;  ///< one for each level
};

std::vector<sweep::Value> levels_of(const View& view, Param param) {
  std::vector<sweep::Value> levels;
  for (const auto& trial : view.results.trials) {
    const sweep::Value& value = trial.parameters[param];
    const bool is_read = !std::holds_alternative<std::monostate>(value);
    if (is_read && levels.size() <= most_heat_map_rows * most_columns &&
        std::ranges::find(levels, value) == levels.end())
      levels.push_back(value);
  }
  if (sweep::is_number(sweep::info(param))) std::sort(levels.begin(), levels.end());
  return levels;
}

/// The setting with most levels; nothing if none has two.
std::optional<Columns> columns_of(const View& view) {
  Columns columns;
  for (const Param param : view.axes.stratum) {
    if (param == Param::repeat || param == Param::seed) continue;
    auto levels = levels_of(view, param);
    if (levels.size() > columns.levels.size()) columns = {param, std::move(levels)};
  }
  if (columns.levels.size() < 2) return std::nullopt;
  return columns;
}

bool is_finished(const View& view, TrialIndex index) {
  return std::holds_alternative<sweep::Finished>(view.results.trials[index.value].outcome);
}

/// What has a ratio, or none because it did not end well.
std::vector<Row> rows_of(const View& view, const Columns& columns) {
  std::vector<Param> rest;
  std::ranges::copy_if(view.axes.stratum, std::back_inserter(rest),
                       [&](Param param) { return param != columns.param; });
  std::vector<Row> rows;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const auto& parameters = view.results.trials[i].parameters;
    const auto level = std::ranges::find(columns.levels, parameters[columns.param]);
    const bool is_shown = view.ratio[i] != nullptr || !is_finished(view, TrialIndex{i});
    if (level == columns.levels.end() || !is_shown) continue;
    const std::string name = analysis::trial_label(parameters, {view.axes.arm, rest, view.axes.usual});
    const auto [entry, is_new] = by_name.try_emplace(name, rows.size());
    if (is_new) rows.push_back({name, std::vector<std::optional<TrialIndex>>(columns.levels.size())});
    auto& cell = rows[entry->second].cells[static_cast<std::size_t>(level - columns.levels.begin())];
    if (!cell) cell = TrialIndex{i};
  }
  return rows;
}

/// Three strengths of a difference, so that the strongest is seen first.
int strength(double ratio) {
  const double size = std::abs(std::log(ratio));
  return size >= std::log(5) ? 3 : size >= std::log(1.5) ? 2 : 1;
}

std::string cell_html(const View& view, const std::optional<TrialIndex>& index) {
  if (!index) return "<td class=\"n\">" + std::string(dash) + "</td>";
  const auto* contrast = view.ratio[index->value];
  if (contrast == nullptr)
    return fmt::format("<td class=\"n crossed\">{}</td>", sweep::status_of(view.results.trials[index->value].outcome));
  const std::string words = words_of(judged_ratio(*contrast)).figure;
  switch (contrast->verdict) {
    case stats::Verdict::same:
      return "<td class=\"n h0\">" + words + "</td>";
    case stats::Verdict::undecided:
      return "<td class=\"n hatched\">" + words + "</td>";
    case stats::Verdict::faster:
    case stats::Verdict::slower:
      break;
  }
  return fmt::format("<td class=\"n {}{}\">{}</td>", contrast->verdict == stats::Verdict::faster ? "f" : "w",
                     strength(contrast->ratio), words);
}

std::string table(const View& view, const Columns& columns, const std::vector<Row>& rows) {
  const std::size_t wide = std::min(columns.levels.size(), most_columns);
  std::string html = "<table class=\"heat\"><thead><tr>" + column_head(sweep::name_of(columns.param));
  for (std::size_t i = 0; i < wide; ++i) html += column_head(sweep::to_text(columns.levels[i]), true);
  html += "</tr></thead>\n<tbody>";
  for (std::size_t i = 0; i < std::min(rows.size(), most_heat_map_rows); ++i) {
    html += "<tr><th scope=\"row\">" + cell(rows[i].name) + "</th>";
    for (std::size_t at = 0; at < wide; ++at) html += cell_html(view, rows[i].cells[at]);
    html += "</tr>\n";
  }
  return scrolled("ratios over " + std::string(sweep::name_of(columns.param)), html + "</tbody></table>");
}

constexpr std::string_view heat_map_caption =
    "<figcaption><b>How many times faster or slower than the baseline</b> at the same setting. The stronger the "
    "colour, "
    "the larger the difference. Hatched: not known yet. "
    "Crossed out: skipped or failed; the reasons stand further down.</figcaption>\n";

}  // namespace

std::string heat_map(const View& view) {
  if (view.contrasts.contrasts.empty()) return {};
  const auto columns = columns_of(view);
  if (!columns) return {};
  const auto rows = rows_of(view, *columns);
  if (rows.size() < 2) return {};
  return "<figure>\n" + std::string(heat_map_caption) + table(view, *columns, rows) +
         more(most_heat_map_rows, rows.size(), "rows") + more(most_columns, columns->levels.size(), "columns") +
         "</figure>\n";
}

}  // namespace regatta::report
