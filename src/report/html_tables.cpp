#include "report/html_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/analysis/wording.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_trials = 500;
constexpr std::size_t most_contrasts = 300;
constexpr std::size_t most_reasons = 100;
constexpr std::size_t names_shown = 4;
constexpr std::size_t cell_columns = 60;
constexpr std::size_t sentence_columns = 300;
constexpr std::size_t reason_columns = 500;

std::string cell(std::string_view text, std::size_t columns = cell_columns) {
  return escape(clip(clean(text), columns));
}

std::string number(const std::string& text) { return "<td class=\"n\">" + text + "</td>"; }

/// Only what went wrong is coloured; a skipped trial is as planned.
std::string status_html(std::string_view status) {
  return fmt::format("<b{}>{}</b>", status == "skipped" ? "" : " class=\"bad\"", status);
}

/// "<b>10.7x</b> [10.5, 10.9]", "baseline", or how the trial ended.
std::string ratio_html(const View& view, TrialIndex index) {
  const auto& trial = view.results.trials[index.value];
  if (!std::holds_alternative<sweep::Finished>(trial.outcome)) {
    return status_html(sweep::status_of(trial.outcome));
  }
  const auto* contrast = view.ratio[index.value];
  if (!contrast) return view.is_baseline[index.value] ? "baseline" : std::string(analysis::dash);
  return fmt::format("<b>{}</b> {}", analysis::ratio_text(contrast->ratio),
                     analysis::interval_text(contrast->low, contrast->high));
}

std::string trial_row(const View& view, TrialIndex index) {
  const auto& trial = view.results.trials[index.value];
  const auto time = [&](const char* name) { return analysis::duration_text(analysis::metric(trial, name)); };
  std::string row = "<tr>";
  for (const auto param : view.axes.arm) row += "<td>" + cell(sweep::to_text(trial.parameters[param])) + "</td>";
  row += number(time("step_time"));
  row += "<td>" + ratio_html(view, index) + "</td>";
  row += number(time("step_time_mean")) + number(time("step_time_p95"));
  row += number(analysis::rate_text(analysis::metric(trial, "samples_per_second")));
  row += number(time("first_step")) + number(analysis::size_text(analysis::metric(trial, "peak_memory")));
  return row + "<td>" + cell(trial.verified) + "</td></tr>\n";
}

std::string trials_head(const View& view) {
  std::string head = "<thead><tr>";
  for (const auto param : view.axes.arm) head += "<th>" + escape(sweep::info(param).name) + "</th>";
  return head +
         "<th class=\"n\">step, median</th><th>ratio [95 %]</th><th class=\"n\">mean</th><th "
         "class=\"n\">p95</th>"
         "<th class=\"n\">samples/s</th><th class=\"n\">first step</th><th class=\"n\">peak memory</th><th>same "
         "work</th>"
         "</tr></thead>\n";
}

std::string more(std::size_t shown, std::size_t all, std::string_view what) {
  if (shown >= all) return {};
  return fmt::format(
      "<p class=\"note\">{} more {} are in the result file and in <code>regatta report --json</code>.</p>\n",
      all - shown, what);
}

std::string ended_html(const View& view, const Ended& ended) {
  std::string html = fmt::format("<div class=\"ended\"><p>{} {}</p>", status_html(ended.status),
                                 cell(names_of(view, ended.trials, names_shown), sentence_columns));
  if (!ended.reason.empty()) html += "<p>" + cell(ended.reason, reason_columns) + "</p>";
  return html + "<p class=\"note\">Next: " + escape(ended.advice) + ".</p></div>\n";
}

}  // namespace

std::string trials_table(const View& view) {
  const std::size_t columns = view.axes.arm.size() + 8;
  std::string html = "<div class=\"scroll\"><table>\n" + trials_head(view);
  std::size_t shown = 0;
  for (const auto& group : view.groups) {
    if (shown == most_trials) break;
    html += "<tbody>";
    if (!group.label.empty()) {
      html += fmt::format("<tr><th colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n", columns, cell(group.label));
    }
    for (const TrialIndex trial : group.trials) {
      if (shown == most_trials) break;
      html += trial_row(view, trial);
      ++shown;
    }
    html += "</tbody>\n";
  }
  return html + "</table></div>\n" + more(shown, view.results.trials.size(), "trials");
}

std::string contrasts_table(const View& view) {
  const auto& contrasts = view.contrasts.contrasts;
  if (contrasts.empty()) return {};
  std::string html =
      "<details><summary>Each ratio as a sentence</summary>\n<div "
      "class=\"scroll\"><table>\n<thead><tr><th>contrast</th>"
      "<th>verdict</th><th class=\"n\">squares</th><th "
      "class=\"n\">processes</th><th>flags</th></tr></thead>\n<tbody>\n";
  const std::size_t shown = std::min(contrasts.size(), most_contrasts);
  for (std::size_t i = 0; i < shown; ++i) {
    std::string flags;
    for (const auto& flag : contrasts[i].flags) flags += (flags.empty() ? "" : ", ") + flag;
    html += fmt::format(
        "<tr><td class=\"text\">{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
        cell(contrasts[i].text, sentence_columns), analysis::verdict_text(contrasts[i]), contrasts[i].squares,
        contrasts[i].processes, flags.empty() ? std::string(analysis::dash) : cell(flags));
  }
  return html + "</tbody></table></div>\n" + more(shown, contrasts.size(), "ratios") + "</details>\n";
}

std::string not_measured_list(const View& view) {
  const auto all = not_measured(view.results);
  std::string html;
  const std::size_t shown = std::min(all.size(), most_reasons);
  for (std::size_t i = 0; i < shown; ++i) html += ended_html(view, all[i]);
  html += more(shown, all.size(), "reasons");
  std::size_t listed = 0;
  for (const auto& missing : view.contrasts.missing) {
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
