#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "regatta/analysis/labels.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using sweep::Param;

constexpr std::size_t most_maps = 3;
constexpr std::size_t most_map_rows = 40;
constexpr std::size_t most_map_columns = 14;

bool is_number(Param param) { return sweep::is_number(sweep::info(param)); }

struct Levels {
  Param param = Param::batch;
  std::vector<sweep::Value> values = {};
};

std::vector<sweep::Value> levels_of(const View& view, Param param) {
  std::vector<sweep::Value> levels;
  for (const auto& trial : view.results.trials) {
    const sweep::Value& value = trial.parameters[param];
    const bool is_read = !std::holds_alternative<std::monostate>(value);
    if (is_read && levels.size() <= most_map_rows * most_map_columns &&
        std::ranges::find(levels, value) == levels.end())
      levels.push_back(value);
  }
  if (is_number(param)) std::ranges::sort(levels);
  return levels;
}

/// The axis with most levels that fit across, rather one of numbers; repeats of one setting are no axis.
std::optional<Levels> across(const View& view) {
  Levels most;
  for (const Param param : table_axes(view)) {
    if (param == Param::repeat || param == Param::seed) continue;
    auto values = levels_of(view, param);
    const bool is_longer = values.size() > most.values.size();
    const bool is_number_instead = values.size() == most.values.size() && is_number(param) && !is_number(most.param);
    if (values.size() <= most_map_columns && (is_longer || is_number_instead)) most = {param, std::move(values)};
  }
  if (most.values.size() < 2) return std::nullopt;
  return most;
}

struct MapRow {
  std::string name;
  std::vector<std::optional<TrialIndex>> cells;  ///< one for each level across
};

std::vector<MapRow> rows_of(const View& view, const Levels& levels) {
  std::vector<Param> down = table_axes(view);
  std::erase(down, levels.param);
  std::vector<MapRow> rows;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const auto& parameters = view.results.trials[i].parameters;
    const auto level = std::ranges::find(levels.values, parameters[levels.param]);
    if (level == levels.values.end()) continue;
    const std::string name = analysis::label(parameters, down);
    const auto [entry, is_new] = by_name.try_emplace(name, rows.size());
    if (is_new) rows.push_back({name, std::vector<std::optional<TrialIndex>>(levels.values.size())});
    auto& cell = rows[entry->second].cells[static_cast<std::size_t>(level - levels.values.begin())];
    if (!cell) cell = TrialIndex{i};
  }
  return rows;
}

/// The strength of a value's colour, from 0 for the least to 3, on a logarithmic scale where both ends are far apart.
int shade_of(double value, const Extremes& ends) {
  constexpr double far_apart = 10;
  constexpr int strongest = 3;
  const auto [least, most] = std::pair(ends.least, ends.greatest);
  if (!(most > least)) return 0;
  const bool is_log = least > 0 && most / least > far_apart;
  const double part = is_log ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
  return std::clamp(static_cast<int>(part * (strongest + 1)), 0, strongest);
}

std::string map_of(const View& view, const ResultColumn& column, const Levels& levels,
                   const std::vector<MapRow>& rows) {
  const Extremes ends = extremes_of(view, column.name);
  std::string html = "<table class=\"heat\"><thead><tr>" + column_head("");
  for (const sweep::Value& value : levels.values)
    html += column_head(fmt::format("{} {}", sweep::name_of(levels.param), sweep::to_text(value)), true);
  html += "</tr></thead>\n<tbody>";
  for (std::size_t i = 0; i < std::min(rows.size(), most_map_rows); ++i) {
    html += "<tr><th scope=\"row\">" + cell(rows[i].name) + "</th>";
    for (const auto& trial : rows[i].cells) {
      const auto value = trial ? analysis::metric(view.results.trials[trial->value], column.name) : std::nullopt;
      const std::string text = trial ? result_text(view.results.trials[trial->value], column.name) : std::string(dash);
      if (!value || !std::isfinite(*value)) {
        html += "<td class=\"n crossed\">" + cell(text) + "</td>";
        continue;
      }
      const bool is_end = *value == ends.least || *value == ends.greatest;
      const std::string shown = is_end ? "<b>" + cell(text) + "</b>" : cell(text);
      const int shade = shade_of(*value, ends);
      html += fmt::format("<td class=\"n{}\">{}</td>", shade == 0 ? "" : fmt::format(" f{}", shade), shown);
    }
    html += "</tr>\n";
  }
  return "<h3>" + cell(column.header) + "</h3>\n" +
         scrolled(column.name + " over the axes", html + "</tbody></table>") + more(most_map_rows, rows.size(), "rows");
}

}  // namespace

std::string study_figure(const View& view) {
  const std::vector<ResultColumn> columns = result_columns(view);
  const auto levels = across(view);
  if (columns.empty() || !levels) return {};
  const std::vector<MapRow> rows = rows_of(view, *levels);
  std::string html =
      "<figure>\n<figcaption>Results of the program, over the axes of the sweep. A darker cell has a larger value; the "
      "smallest and the largest are bold.</figcaption>\n";
  for (std::size_t i = 0; i < std::min(columns.size(), most_maps); ++i) html += map_of(view, columns[i], *levels, rows);
  return html + more(most_maps, columns.size(), "results") + "</figure>\n";
}

}  // namespace regatta::report
