#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "regatta/analysis/call_costs.hpp"
#include "regatta/analysis/growth.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figures.hpp"
#include "report/page/figures/plot.hpp"

namespace regatta::report {
namespace {

using analysis::Crossing;
using analysis::Curve;
using analysis::Growth;
using analysis::Panel;

/// The axes of one panel.
struct Axes {
  LogAxis x;
  LogAxis y;
};

std::string line_of(const Curve& curve, std::size_t index, const Axes& axes) {
  std::string lines;
  std::string marks;
  std::string last_x;
  std::string last_y;
  for (const auto& [value, seconds] : curve.seconds) {
    const std::string x = percent_text(axes.x.percent(value));
    const std::string y = percent_text(axes.y.percent(seconds));
    if (!last_x.empty()) {
      lines += fmt::format(R"(<line class="s{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", index % series_count, last_x,
                           last_y, x, y);
    }
    marks += series_mark(index, x, y);
    last_x = x;
    last_y = y;
  }
  return lines + marks;
}

/// Between neighbours that both have an interval.
std::string ribbon_of(const Curve& curve, std::size_t index, const Axes& axes) {
  std::string path;
  const auto at = [&](double value, double seconds) {
    return fmt::format("{:.2f},{:.2f}", axes.x.percent(value), axes.y.percent(seconds));
  };
  for (auto range = curve.ranges.begin(); range != curve.ranges.end(); ++range) {
    const auto next = std::next(range);
    const auto after = curve.seconds.upper_bound(range->first);
    if (next == curve.ranges.end() || after == curve.seconds.end() || after->first != next->first) continue;
    path += "M" + at(range->first, range->second.low) + "L" + at(next->first, next->second.low) + "L" +
            at(next->first, next->second.high) + "L" + at(range->first, range->second.high) + "z";
  }
  if (path.empty()) return {};
  return stretched(fmt::format(R"(<path class="ribbon r{}" d="{}"/>)", index % series_count, path));
}

std::string roofline_of(const Panel& panel, const Axes& axes) {
  std::string roof;
  for (const auto& [value, seconds] : panel.roofline)
    roof += fmt::format("{:.2f},{:.2f} ", axes.x.percent(value), axes.y.percent(seconds));
  if (panel.roofline.size() < 2) return {};
  roof.pop_back();
  return stretched(fmt::format(R"(<polyline class="roof" points="{}"/>)", roof));
}

/// Its place as a line, its interval as a band.
std::string crossing_mark(const Crossing& crossing, const Axes& axes) {
  const double low = axes.x.percent(crossing.at.range.low);
  const double high = axes.x.percent(crossing.at.range.high);
  return fmt::format(
      R"(<rect class="band" x="{0}" width="{1}" y="4%" height="88%"/><line class="crossing" x1="{2}" x2="{2}" y1="4%" y2="92%"/>)",
      percent_text(low), percent_text(high - low), percent_text(axes.x.percent(crossing.at.value)));
}

std::vector<Crossing> crossings_in(const View& view, const Growth& growth, const Panel& panel) {
  std::vector<Crossing> found;
  std::ranges::copy_if(view.effects.crossings, std::back_inserter(found), [&](const Crossing& crossing) {
    return crossing.axis == growth.axis && crossing.where == panel.name;
  });
  return found;
}

Axes axes_of(const Panel& panel) {
  std::vector<double> values;
  std::vector<double> times;
  for (const auto& curve : panel.curves) {
    for (const auto& [value, seconds] : curve.seconds) {
      values.push_back(value);
      times.push_back(seconds);
    }
    for (const auto& [value, range] : curve.ranges) times.insert(times.end(), {range.low, range.high});
  }
  for (const auto& [value, seconds] : panel.roofline) times.push_back(seconds);
  return {LogAxis(values, 16, 96), LogAxis(times, 86, 8)};
}

std::string legend(const Panel& panel) {
  std::string html = "<p class=\"legend\">";
  for (std::size_t i = 0; i < panel.curves.size(); ++i)
    html += legend_entry(series_mark(i, "8", "6"), panel.curves[i].name.empty() ? "all" : panel.curves[i].name);
  if (panel.roofline.size() > 1)
    html += legend_entry(R"(<line class="roof" x1="0" x2="16" y1="6" y2="6"/>)", "least that these cores allow");
  return html + "</p>\n";
}

std::string timing_text(const Curve& curve, double value) {
  const auto seconds = curve.seconds.find(value);
  if (seconds == curve.seconds.end()) return std::string(dash);
  const auto range = curve.ranges.find(value);
  const std::string text = duration_text(seconds->second);
  if (range == curve.ranges.end()) return text;
  return text + " [" + duration_text(range->second.low) + ", " + duration_text(range->second.high) + "]";
}

std::string table(const Panel& panel, const Growth& growth) {
  const std::string_view axis = sweep::name_of(growth.axis);
  std::set<double> values;
  for (const auto& curve : panel.curves) {
    for (const auto& [value, seconds] : curve.seconds) values.insert(value);
  }
  std::string html = "<table><thead><tr>" + column_head(axis, true);
  for (const auto& curve : panel.curves) html += column_head(curve.name.empty() ? "time" : curve.name, true);
  html += column_head("least", true) + "</tr></thead>\n<tbody>";
  for (const double value : values) {
    html += fmt::format("<tr><th scope=\"row\" class=\"n\">{:g}</th>", value);
    for (const auto& curve : panel.curves) html += "<td class=\"n\">" + timing_text(curve, value) + "</td>";
    const auto roof = panel.roofline.find(value);
    html += "<td class=\"n\">" + (roof == panel.roofline.end() ? std::string(dash) : duration_text(roof->second)) +
            "</td></tr>\n";
  }
  return details("The figures of this figure as a table",
                 scrolled("times against " + std::string(axis) + ", " + panel.name, html + "</tbody></table>"));
}

std::string panel_html(const View& view, const Panel& panel, const Growth& growth) {
  const Axes axes = axes_of(panel);
  std::set<double> values;
  for (const auto& curve : panel.curves) {
    for (const auto& [value, seconds] : curve.seconds) values.insert(value);
  }
  std::string html;
  if (!panel.name.empty()) html += "<h3>" + cell(panel.name) + "</h3>\n";
  html += legend(panel);
  std::string svg = time_scale(axes.y) + value_scale(axes.x, {values.begin(), values.end()});
  const auto crossings = crossings_in(view, growth, panel);
  for (const Crossing& crossing : crossings) svg += crossing_mark(crossing, axes);
  svg += roofline_of(panel, axes);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) svg += ribbon_of(panel.curves[i], i, axes);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) svg += line_of(panel.curves[i], i, axes);
  html += plot("Time against " + std::string(sweep::name_of(growth.axis)) + "; the table below has its figures", svg);
  for (const Crossing& crossing : crossings) html += note(crossing_sentence(crossing));
  return html + table(panel, growth);
}

}  // namespace

std::string line_figure(const View& view) {
  const auto growth = analysis::growth(view.results, view.axes);
  if (!growth) return {};
  std::string html = fmt::format(
      "<figure>\n<figcaption><b>Time per {} against {}</b>. Lower is less time; both axes are logarithmic. Ribbon: 95 "
      "% "
      "interval (often thinner than the line). Dashed upright line: where the faster arm changes, with its interval as "
      "a "
      "band.{}</figcaption>\n",
      growth->per_sample ? "sample" : "step", sweep::name_of(growth->axis),
      growth->left_out ? " Not every setting is drawn; the table of trials has more." : "");
  for (const auto& panel : growth->panels) html += panel_html(view, panel, *growth);
  for (const auto& cost : analysis::call_costs(*growth)) html += note(call_cost_sentence(cost) + ".");
  return html + "</figure>\n";
}

}  // namespace regatta::report
