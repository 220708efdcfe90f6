#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figures.hpp"
#include "report/page/figures/plot.hpp"

namespace regatta::report {
namespace {

using analysis::PayBack;

constexpr std::size_t most_plots = 4;
constexpr std::size_t most_cold_start_rows = 60;
constexpr int curve_points = 40;
constexpr double most_steps = 1e9;

/// One arm from the start of its process: seconds until n steps are done after the first, which is part of `cold`.
struct Course {
  std::string name;
  double cold = 0;
  double step = 0;
  [[nodiscard]] double after(double steps) const { return cold + steps * step; }
};

std::string setting_of(const View& view, TrialIndex trial) {
  return analysis::label(view.results.trials[trial.value].parameters, view.axes.stratum);
}

/// Far enough to see the lines cross, or to see that they do not.
double last_step(const PayBack& paid) {
  const double crossing = paid.steps ? 10 * paid.steps->value : 0;
  const double until_steps_matter = 10 * paid.starter_start.value / std::max(paid.starter_step, 1e-12);
  return std::clamp(std::max(crossing, until_steps_matter), 100.0, most_steps);
}

std::string curve_of(const Course& course, std::size_t index, const LogAxis& x, const LogAxis& y, double last) {
  std::string path;
  for (int i = 0; i <= curve_points; ++i) {
    const double steps = std::pow(last, static_cast<double>(i) / curve_points);
    path += fmt::format("{:.2f},{:.2f} ", x.percent(steps), y.percent(course.after(steps)));
  }
  path.pop_back();
  const auto mark = [&](double steps) {
    return series_mark(index, percent_text(x.percent(steps)), percent_text(y.percent(course.after(steps))));
  };
  return stretched(fmt::format(R"(<polyline class="curve s{}" points="{}"/>)", index, path)) + mark(1) + mark(last);
}

std::string plot_of(const View& view, const PayBack& paid) {
  const std::vector<Course> courses = {{arm_of(view, paid.starter), paid.starter_start.value, paid.starter_step},
                                       {arm_of(view, paid.other), paid.other_start.value, paid.other_step}};
  const double last = last_step(paid);
  std::vector<double> times;
  for (const Course& course : courses) times.insert(times.end(), {course.after(1), course.after(last)});
  const LogAxis x({1, last}, 16, 96);
  const LogAxis y(times, 86, 8);
  std::string legend = "<p class=\"legend\">";
  std::string svg = time_scale(y) + value_scale(x, x.ticks(7));
  if (paid.steps && paid.steps->value >= 1) {
    const std::string at = percent_text(x.percent(paid.steps->value));
    svg += fmt::format(R"(<line class="crossing" x1="{0}" x2="{0}" y1="4%" y2="92%"/>)", at);
  }
  for (std::size_t i = 0; i < courses.size(); ++i) {
    svg += curve_of(courses[i], i, x, y, last);
    legend += legend_entry(series_mark(i, "8", "6"), courses[i].name);
  }
  const std::string where = setting_of(view, paid.other);
  return (where.empty() ? "" : "<h3>" + cell(where) + "</h3>\n") + legend + "</p>\n" +
         plot("Time since the process started against steps done after the first; the table below has the figures",
              svg) +
         note(pay_back_sentence(view, paid));
}

std::string outcome_text(const PayBack& paid) {
  if (paid.pays == analysis::Pays::never) return "never";
  return paid.steps ? steps_text(paid.steps->value) + " steps" : "not known";
}

std::string paid_interval_text(const PayBack& paid) {
  if (!paid.has_interval) return fmt::format("n = {}, no interval", paid.processes);
  if (!paid.steps) return std::string(dash);
  const stats::Range& range = paid.steps->range;
  if (!std::isfinite(range.high)) return "at least " + steps_text(range.low);
  return steps_text(range.low) + " to " + steps_text(range.high);
}

std::string starts_table(const View& view) {
  const auto& all = view.effects.pay_backs;
  std::string html = "<table><thead><tr>" + column_head("setting") + column_head("slower to start") +
                     column_head("after", true) + column_head("step", true) + column_head("than") +
                     column_head("after", true) + column_head("step", true) + column_head("pays back after", true) +
                     column_head("95 %") + "</tr></thead>\n<tbody>";
  const auto time = [](double seconds) { return "<td class=\"n\">" + duration_text(seconds) + "</td>"; };
  for (std::size_t i = 0; i < std::min(all.size(), most_cold_start_rows); ++i) {
    const PayBack& paid = all[i];
    html += "<tr><td>" + cell(setting_of(view, paid.other)) + "</td><td>" + cell(arm_of(view, paid.starter)) + "</td>" +
            time(paid.starter_start.value) + time(paid.starter_step) + "<td>" + cell(arm_of(view, paid.other)) +
            "</td>" + time(paid.other_start.value) + time(paid.other_step) + "<td class=\"n\">" + outcome_text(paid) +
            "</td><td>" + paid_interval_text(paid) + "</td></tr>\n";
  }
  return details(
      "The figures of this figure as a table, and all other settings",
      scrolled("starts and steps", html + "</tbody></table>") + more(most_cold_start_rows, all.size(), "settings"));
}

constexpr std::string_view cold_start_caption =
    "<figcaption><b>Time since the process started, against steps done after the first.</b> An arm that starts later "
    "but steps faster overtakes the other where the lines cross (dashed); both axes are logarithmic. Of each pair a "
    "setting with its largest batch is drawn. A start is that of a fresh process: importing libraries, building the "
    "model, compiling and the first step; the median over processes. Where a framework keeps what it compiled, it is "
    "that of processes that found it compiled.</figcaption>\n";

}  // namespace

std::string cold_start_figure(const View& view) {
  if (view.effects.pay_backs.empty()) return {};
  const auto pairs = started_pairs(view);
  std::string html = "<figure>\n" + std::string(cold_start_caption);
  for (std::size_t i = 0; i < std::min(pairs.size(), most_plots); ++i)
    html += plot_of(view, *pairs[i].settings.front());
  return html + starts_table(view) + "</figure>\n";
}

}  // namespace regatta::report
