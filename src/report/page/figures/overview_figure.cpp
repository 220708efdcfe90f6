#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figure_rows.hpp"
#include "report/page/figures/figures.hpp"
#include "report/page/figures/plot.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

constexpr std::size_t most_settings = 40;
constexpr double label_percent = 13;    // the width that a figure beside its mark takes, of the drawing
constexpr std::size_t most_labels = 3;  // arms; with more of them figures would cover marks

bool has_place(const MatrixCell& cell) { return cell.contrast != nullptr && !cell.contrast->difference; }

std::vector<double> values_of(const ComparisonMatrix& matrix) {
  std::vector<double> values = {1};
  for (const MatrixSetting& setting : matrix.settings) {
    for (const MatrixCell& each : setting.cells) {
      if (!has_place(each)) continue;
      const Contrast& contrast = *each.contrast;
      values.insert(values.end(), {contrast.ratio, contrast.low.value_or(1), contrast.high.value_or(1)});
    }
  }
  return values;
}

/// The interval as a line and the ratio as a mark; hollow while it is not known.
std::string mark_of(const Contrast& contrast, std::size_t series, const LogAxis& axis) {
  std::string svg;
  if (contrast.low && contrast.high)
    svg +=
        fmt::format(R"(<line class="whisker s{0}" x1="{1}" x2="{2}" y1="{3}" y2="{3}"/>)", series % series_count,
                    percent_text(axis.percent(*contrast.low)), percent_text(axis.percent(*contrast.high)), row_middle);
  const std::string x = percent_text(axis.percent(contrast.ratio)), y = fmt::format("{}", row_middle);
  const std::string mark = series_mark(series, x, y);
  return svg + (contrast.verdict == stats::Verdict::undecided ? "<g class=\"hollow\">" + mark + "</g>" : mark);
}

/// The ratio in figures at the right of its interval, where it covers nothing.
std::string label_of(const MatrixSetting& setting, std::size_t arm, const LogAxis& axis) {
  const Contrast& contrast = *setting.cells[arm].contrast;
  if (contrast.verdict == stats::Verdict::undecided) return {};
  const double begin = std::max(axis.percent(contrast.ratio), axis.percent(contrast.high.value_or(contrast.ratio)));
  for (std::size_t other = 1; other < setting.cells.size(); ++other) {
    if (other == arm || !has_place(setting.cells[other])) continue;
    const Contrast& neighbour = *setting.cells[other].contrast;
    const double low = axis.percent(neighbour.low.value_or(neighbour.ratio));
    const double high = axis.percent(neighbour.high.value_or(neighbour.ratio));
    if (high > begin && low < begin + label_percent) return {};
  }
  return fmt::format(R"(<text class="figure" x="{}" dx="9" y="{}">{}x</text>)", percent_text(begin), row_middle + 4,
                     takes_text(contrast.ratio));
}

/// `is_heading`: the name stands below no other one.
std::string row_of(const MatrixSetting& setting, const std::string& name, bool is_heading, const LogAxis& axis,
                   const std::string& grid) {
  std::string svg = grid;
  const bool has_labels = setting.cells.size() <= most_labels + 1;
  for (std::size_t arm = 1; arm < setting.cells.size(); ++arm) {
    if (!has_place(setting.cells[arm])) continue;
    svg += mark_of(*setting.cells[arm].contrast, arm - 1, axis);
    if (has_labels) svg += label_of(setting, arm, axis);
  }
  return fmt::format(
      "<div class=\"row{0}\" aria-hidden=\"true\"><span class=\"name{0}\">{1}</span><span class=\"base\">{2}</span>"
      "<svg class=\"plot\" height=\"26\" aria-hidden=\"true\">{3}</svg></div>\n",
      is_heading ? " alone" : "", cell(name), cell(setting.cells.front().figure), svg);
}

std::string legend(const ComparisonMatrix& matrix) {
  std::string html = "<p class=\"legend\">";
  for (std::size_t arm = 1; arm < matrix.arms.size(); ++arm)
    html += legend_entry(series_mark(arm - 1, "8", "6"), matrix.arms[arm]);
  const bool any_open = std::ranges::any_of(matrix.settings, [](const MatrixSetting& setting) {
    return std::ranges::any_of(setting.cells, [](const MatrixCell& each) {
      return has_place(each) && each.contrast->verdict == stats::Verdict::undecided;
    });
  });
  if (any_open) html += legend_entry("<g class=\"hollow\">" + series_mark(0, "8", "6") + "</g>", "not known yet");
  return html + "</p>\n";
}

std::string scale(const ComparisonMatrix& matrix, const LogAxis& axis) {
  std::string svg;
  for (const double tick : axis.ticks(most_ratio_ticks))
    svg += fmt::format(R"(<text x="{}" y="14" text-anchor="middle">{:.3g}x</text>)", percent_text(axis.percent(tick)),
                       tick);
  return fmt::format(
      "<div class=\"row scale\" aria-hidden=\"true\"><span class=\"name\"></span><span class=\"base\">{}</span>"
      "<svg class=\"plot\" height=\"20\" aria-hidden=\"true\">{}</svg></div>\n",
      cell(matrix.arms.front()), svg);
}

std::string class_of(const MatrixCell& each) {
  if (!each.status.empty()) return each.is_bad ? " bad" : " crossed";
  if (each.contrast == nullptr) return "";
  if (each.is_contradicted) return " bad";
  constexpr double strong = 5, medium = 1.5;
  const double size = std::exp(std::abs(std::log(each.contrast->ratio)));
  const int strength = size >= strong ? 3 : size >= medium ? 2 : 1;
  switch (each.contrast->verdict) {
    case stats::Verdict::faster:
      return fmt::format(" f{}", strength);
    case stats::Verdict::slower:
      return fmt::format(" w{}", strength);
    case stats::Verdict::same:
      return " h0";
    case stats::Verdict::undecided:
      break;
  }
  return " hatched";
}

/// "3.6 to 15 %": the smallest differences that the comparisons of a setting could have told.
std::string resolution_cell(const MatrixSetting& setting) {
  std::vector<double> found;
  for (const MatrixCell& each : setting.cells)
    if (has_place(each) && each.contrast->resolution) found.push_back(*each.contrast->resolution);
  if (found.empty()) return std::string(dash);
  const auto [least, most] = std::ranges::minmax(found);
  const std::string first = difference_text(least), last = difference_text(most);
  return first == last ? first : first + " to " + last;
}

/// The ratio, and its interval where a narrow column may break the line.
std::string figure_and_interval(const MatrixCell& each) {
  const CellWords words = cell_words(each);
  if (words.interval.empty()) return cell(words.figure);
  return cell(words.figure) + " <span class=\"whole\">" + cell(words.interval) + "</span>";
}

}  // namespace

std::string overview_figure(const View& view, const ComparisonMatrix& matrix) {
  const std::vector<double> values = values_of(matrix);
  if (values.size() < 2) return {};
  const LogAxis axis(values, 3, 88);
  const std::string grid = ratio_grid(axis);
  const bool is_time = sweep::is_step_time(view.contrasts.metric);
  std::string html = fmt::format(
      "<figure class=\"overview\">\n<figcaption>How many times {1} <b>{0}</b> each arm {2}, on a logarithmic axis. The "
      "line through a mark is the 95 % interval. The first column is the {3} of {0}.</figcaption>\n",
      cell(matrix.arms.front()), is_time ? "as long as" : "the value of", is_time ? "takes" : "has",
      is_time ? "time" : "value");
  html += legend(matrix);
  const std::size_t shown = std::min(matrix.settings.size(), most_settings);
  std::string heading;
  for (std::size_t i = 0; i < shown; ++i) {
    const MatrixSetting& setting = matrix.settings[i];
    const bool alone = setting.stands_alone;
    if (!alone && setting.heading != heading) html += "<h3>" + cell(setting.heading) + "</h3>\n";
    heading = setting.heading;
    html +=
        row_of(setting, alone ? setting_name(setting) : setting.name, alone && !setting.heading.empty(), axis, grid);
  }
  return html + scale(matrix, axis) + more(shown, matrix.settings.size(), "settings") + "</figure>\n";
}

std::string matrix_html(const View& view, const ComparisonMatrix& matrix) {
  std::string html = "<table class=\"heat\"><thead><tr>" + column_head("");
  for (const std::string& arm : matrix.arms) html += column_head(arm, true);
  html += column_head("can tell", true);
  html += "</tr></thead>\n<tbody>";
  const std::size_t shown = std::min(matrix.settings.size(), most_settings);
  for (std::size_t i = 0; i < shown; ++i) {
    html += "<tr><th scope=\"row\">" + cell(setting_name(matrix.settings[i])) + "</th>";
    for (const MatrixCell& each : matrix.settings[i].cells)
      html += fmt::format("<td class=\"n{}\">{}</td>", class_of(each), figure_and_interval(each));
    html += "<td class=\"n\">" + cell(resolution_cell(matrix.settings[i])) + "</td></tr>\n";
  }
  html = scrolled("all comparisons", html + "</tbody></table>") + more(shown, matrix.settings.size(), "settings");
  return html + note(fmt::format("{} Can tell: the smallest difference that these comparisons could have detected.",
                                 fmt::join(matrix_legend(view, matrix), " ")));
}

}  // namespace regatta::report
