#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/summary.hpp"
#include "report/html_text.hpp"
#include "report/page/page.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_trials = 500;
constexpr std::size_t most_contrasts = 300;
constexpr std::size_t most_reasons = 100;
constexpr std::size_t reason_columns = 500;

std::string number(const std::string& text) { return "<td class=\"n\">" + text + "</td>"; }

/// Only what went wrong is coloured; a skipped trial is as planned.
std::string status_html(std::string_view status) {
  const bool is_bad = status == "failed" || status == "not the same work";
  return fmt::format("<b{}>{}</b>", is_bad ? " class=\"bad\"" : "", status);
}

/// "<b>10.7x slower</b> [10.5, 10.9]", "baseline", or how the trial ended.
std::string ratio_cell(const View& view, TrialIndex index) {
  const auto& trial = view.results.trials[index.value];
  if (!std::holds_alternative<sweep::Finished>(trial.outcome)) {
    return status_html(sweep::status_of(trial.outcome));
  }
  const auto* contrast = view.ratio[index.value];
  if (view.contrasts.contrasts.empty()) return "finished";
  if (!contrast) return view.is_baseline[index.value] ? "baseline" : std::string(dash);
  return ratio_html(judged_ratio(*contrast));
}

/// The columns of the table of all trials.
struct TrialColumns {
  bool is_study = false;  ///< nothing is compared: results of programs come before times
  bool has_ends = false;  ///< some trial did not finish, or has a ratio
  bool has_first_steps = false;
  std::vector<sweep::Param> axes;
  std::vector<QuantileColumn> quantiles;
  std::vector<ResultColumn> told;
  bool has_ratios = false;
  bool has_rates = false;
};

TrialColumns columns_of(const View& view) {
  const bool all_finished = std::ranges::all_of(view.results.trials, [](const results::TrialRow& trial) {
    return std::holds_alternative<sweep::Finished>(trial.outcome);
  });
  const bool has_ratios = !view.contrasts.contrasts.empty();
  return {is_study(view),
          has_ratios || !all_finished,
          any_has(view, "first_step"),
          each_stands_alone(view) ? table_axes(view) : arm_axes(view),
          quantile_columns(view),
          result_columns(view),
          has_ratios,
          any_has(view, "samples_per_second")};
}

std::string trial_row(const View& view, TrialIndex index, const TrialColumns& columns) {
  const auto& trial = view.results.trials[index.value];
  const auto time = [&](const char* name) { return duration_text(analysis::metric(trial, name)); };
  std::string row = "<tr>";
  for (const auto& param : columns.axes) row += "<td>" + cell(sweep::to_text(trial.parameters[param])) + "</td>";
  for (const ResultColumn& column : columns.told) row += number(cell(result_text(trial, column.name)));
  row += number(time("step_time"));
  if (columns.has_ends) row += "<td>" + ratio_cell(view, index) + "</td>";
  row += number(time("step_time_mean"));
  for (const QuantileColumn& column : columns.quantiles) row += number(quantile_text(trial, column.metric));
  if (columns.has_rates) row += number(rate_text(analysis::metric(trial, "samples_per_second")));
  if (columns.has_first_steps) row += number(time("first_step"));
  row += number(size_text(analysis::metric(trial, "peak_memory")));
  if (!columns.is_study) row += "<td>" + cell(sweep::to_string(trial.verified)) + "</td>";
  return row + "</tr>\n";
}

std::vector<std::string> heads_of(const TrialColumns& columns) {
  std::vector<std::string> heads;
  for (const auto& param : columns.axes) heads.push_back(column_head(sweep::name_of(param)));
  for (const ResultColumn& column : columns.told) heads.push_back(column_head(column.header, true));
  heads.push_back(column_head("time, median", true));
  if (columns.has_ends) heads.push_back(column_head(columns.has_ratios ? "against the baseline [95 %]" : "ended"));
  heads.push_back(column_head("time, mean", true));
  for (const QuantileColumn& column : columns.quantiles) heads.push_back(column_head(column.header, true));
  if (columns.has_rates) heads.push_back(column_head("samples/s", true));
  if (columns.has_first_steps) heads.push_back(column_head("first step", true));
  heads.push_back(column_head("peak memory", true));
  if (!columns.is_study) heads.push_back(column_head("same work"));
  return heads;
}

std::string ended_html(const View& view, const Ended& ended) {
  std::string html = fmt::format("<div class=\"ended\"><p>{} {}</p>", status_html(ended.status),
                                 cell(names_of(view, ended.trials, names_shown), sentence_columns));
  if (!ended.reason.empty()) html += "<p>" + cell(reason_text(view, ended), reason_columns) + "</p>";
  return html + "<p class=\"note\">Next: " + cell(ended.advice, reason_columns) + ".</p></div>\n";
}

std::string ended_list(const View& view, const std::vector<Ended>& all) {
  std::string html;
  const std::size_t shown = std::min(all.size(), most_reasons);
  for (std::size_t i = 0; i < shown; ++i) html += ended_html(view, all[i]);
  return html + more(shown, all.size(), "reasons");
}

/// The fastest first; trials without a time last.
std::vector<TrialIndex> by_time(const View& view, std::vector<TrialIndex> trials) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, TrialIndex>> timed;  // looked up once each: there may be a million
  timed.reserve(trials.size());
  for (const TrialIndex index : trials)
    timed.emplace_back(analysis::metric(view.results.trials[index.value], "step_time").value_or(never), index);
  std::ranges::stable_sort(timed, {}, &std::pair<double, TrialIndex>::first);
  std::ranges::transform(timed, trials.begin(), &std::pair<double, TrialIndex>::second);
  return trials;
}

}  // namespace

std::string trials_table(const View& view) {
  const TrialColumns columns = columns_of(view);
  const std::vector<std::string> heads = heads_of(columns);
  const bool has_headings = !each_stands_alone(view);
  std::string html =
      fmt::format("<table>\n<thead><tr>{}</tr></thead>\n{}", fmt::join(heads, ""), has_headings ? "" : "<tbody>\n");
  std::size_t shown = 0;
  for (const auto& group : view.groups) {
    if (shown == most_trials) break;
    if (has_headings) html += "<tbody>";
    if (has_headings && !group.label.empty()) {
      html += fmt::format("<tr><th colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n", heads.size(), cell(group.label));
    }
    for (const TrialIndex trial : by_time(view, group.trials)) {
      if (shown == most_trials) break;
      html += trial_row(view, trial, columns);
      ++shown;
    }
    if (has_headings) html += "</tbody>\n";
  }
  html += has_headings ? "</table>" : "</tbody>\n</table>";
  return scrolled("table of all trials", html) + more(shown, view.results.trials.size(), "trials") +
         (runs_programs(view) ? "" : note(quantiles_sentence(view)));
}

std::string contrasts_table(const View& view) {
  const auto& contrasts = view.contrasts.contrasts;
  if (contrasts.empty()) return {};
  std::string html = "<table>\n<thead><tr>" + column_head("contrast") + column_head("verdict") +
                     column_head("processes x squares", true) + column_head("stopped") + column_head("flags") +
                     "</tr></thead>\n<tbody>\n";
  const std::size_t shown = std::min(contrasts.size(), most_contrasts);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string flags = stats::text_of(contrasts[i].flags, ", ");
    html += fmt::format(
        "<tr><td class=\"text\">{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td><td "
        "class=\"flags\">{}</td></tr>\n",
        cell(contrast_sentence(view.results, view.contrasts, contrasts[i]), sentence_columns),
        analysis::verdict_text(contrasts[i]), evidence_text(contrasts[i]), cell(why_stopped_text(contrasts[i])),
        flags.empty() ? std::string(dash) : cell(flags, sentence_columns));
  }
  return details("Each ratio as a sentence", scrolled("each ratio as a sentence", html + "</tbody></table>") +
                                                 more(shown, contrasts.size(), "ratios"));
}

std::string not_measured_list(const View& view) {
  std::string html = ended_list(view, not_measured(view.results)) + ended_list(view, not_decided(view));
  std::size_t listed = 0;
  for (const NoRatio& missing : no_ratios(view)) {
    const auto& first = view.results.trials[missing.trials.front().value];
    if (!std::holds_alternative<sweep::Finished>(first.outcome)) continue;  // already listed above
    if (++listed > most_reasons) break;
    html += fmt::format("<div class=\"ended\"><p><b>no ratio</b> {}</p><p>{}</p></div>\n",
                        cell(names_of(view, missing.trials, names_shown), sentence_columns),
                        cell(missing.reason, reason_columns));
  }
  return html;
}

}  // namespace regatta::report
