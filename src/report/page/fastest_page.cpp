#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/html_text.hpp"
#include "report/page/page.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_rows = 500;

constexpr std::string_view script = R"js(
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
  const value = (row, column) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
  const compare = (a, b) => (a === "") - (b === "") || (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const up = head.ariaSort !== "ascending";
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = up ? "ascending" : "descending";
      rows.sort((a, b) => (up ? 1 : -1) * compare(value(a, column), value(b, column)));
      body.append(...rows);
    };
  });
  const label = document.createElement("label"), input = document.createElement("input");
  label.className = "filter";
  input.type = "search";
  input.placeholder = "words that a row has, such as: graph 32";
  label.append("Only rows with ", input);
  input.oninput = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const cells = [...row.cells].map(cell => cell.textContent.trim().toLowerCase()), text = cells.join(" ");
      row.hidden = !words.every(word => isNaN(word) ? text.includes(word) : word === "" || cells.includes(word));
    }
  };
  table.parentElement.before(label);
}
)js";

using analysis::metric;

bool contains(const std::vector<sweep::Param>& params, sweep::Param param) {
  return std::ranges::find(params, param) != params.end();
}

/// What the order is by: time of a step says nothing across batches.
std::optional<double> seconds_of(const results::TrialRow& trial, bool by_sample) {
  if (!by_sample) return metric(trial, "step_time");
  const auto rate = metric(trial, "samples_per_second");
  return rate && *rate > 0 ? std::optional(1 / *rate) : std::nullopt;
}

std::string figure(const std::string& text, std::optional<double> value) {
  return fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", value ? fmt::format("{:.9g}", *value) : "", text);
}

std::string against_baseline(const View& view, TrialIndex trial) {
  const auto* contrast = view.ratio[trial.value];
  if (contrast == nullptr)
    return fmt::format("<td data-v=\"{}\">{}</td>", view.is_baseline[trial.value] ? "1" : "",
                       view.is_baseline[trial.value] ? "baseline" : std::string(dash));
  return fmt::format("<td data-v=\"{:.9g}\">{}</td>",
                     contrast->difference ? contrast->difference->value : contrast->ratio,
                     ratio_html(judged_ratio(*contrast)));
}

std::string axis_cell(const sweep::Value& value) { return "<td>" + cell(sweep::to_text(value)) + "</td>"; }

}  // namespace

std::string fastest_table(const View& view) {
  std::vector<std::pair<double, TrialIndex>> timed;  // looked up once each: there may be a million
  const bool by_sample =
      contains(view.axes.stratum, sweep::Param::batch) || contains(view.axes.arm, sweep::Param::batch);
  for (std::uint32_t i = 0; i < view.results.trials.size(); ++i) {
    const results::TrialRow& trial = view.results.trials[i];
    const auto seconds = seconds_of(trial, by_sample);
    if (seconds && std::holds_alternative<sweep::Finished>(trial.outcome)) timed.emplace_back(*seconds, TrialIndex{i});
  }
  if (timed.size() < 2) return {};
  std::ranges::stable_sort(timed, {}, &std::pair<double, TrialIndex>::first);
  std::vector<TrialIndex> trials;
  for (const auto& [seconds, index] : timed) trials.push_back(index);
  // Every axis in a column of its own, so that rows can be sorted and found by it.
  const std::vector<sweep::Param> axes = table_axes(view);
  const std::vector<ResultColumn> told = result_columns(view);
  const bool has_ratios = !view.contrasts.contrasts.empty();
  const bool has_rates = any_has(view, "samples_per_second");
  std::string html = "<table class=\"sortable\">\n<thead><tr>" + column_head("place", true);
  for (const auto& param : axes) html += column_head(sweep::name_of(param));
  if (by_sample) html += column_head("time per sample", true);
  html += column_head("step, median", true);
  for (const ResultColumn& column : told) html += column_head(column.header, true);
  if (has_rates) html += column_head("samples/s", true);
  if (has_ratios) html += column_head("against its baseline [95 %]");
  html += "</tr></thead>\n<tbody>\n";
  const std::size_t shown = std::min(trials.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& row = view.results.trials[trials[i].value];
    html += fmt::format("<tr><td class=\"n\">{}</td>", i + 1);
    for (const auto& param : axes) html += axis_cell(row.parameters[param]);
    if (by_sample) html += figure(duration_text(timed[i].first), timed[i].first);
    html += figure(duration_text(metric(row, "step_time")), metric(row, "step_time"));
    for (const ResultColumn& column : told)
      html += figure(cell(result_text(row, column.name)), metric(row, column.name));
    if (has_rates) html += figure(rate_text(metric(row, "samples_per_second")), metric(row, "samples_per_second"));
    html += (has_ratios ? against_baseline(view, trials[i]) : "") + "</tr>\n";
  }
  const char* const order = by_sample ? "By time per sample, as batches differ" : "By the median time of a step";
  const char* const sure = has_ratios ? ": which is faster for sure, the last column and the ratios below say" : "";
  return note(fmt::format("{}. The places are by these times alone{}.", order, sure)) +
         scrolled("all trials, the fastest first", html + "</tbody></table>", true) +
         more(shown, trials.size(), "trials");
}

std::string sorting_script() { return fmt::format("<script>{}</script>\n", script); }

}  // namespace regatta::report
