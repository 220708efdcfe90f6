#include <fmt/format.h>

#include <array>
#include <set>

#include "regatta/analysis/growth.hpp"
#include "regatta/analysis/wording.hpp"
#include "report/figures.hpp"
#include "report/log_axis.hpp"
#include "report/text.hpp"

namespace regatta::report {
namespace {

using analysis::Curve;
using analysis::Panel;

constexpr std::size_t label_columns = 60;

/// A mark at a percent position; its shape tells the series apart without colour.
std::string marker(std::size_t series, const std::string& x, const std::string& y) {
  constexpr std::array<const char*, 4> shapes = {"M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-4,-4h8v8h-8z",
                                                 "M0,-5l5,5l-5,5l-5,-5z", "M0,-5l5,9h-10z"};
  return fmt::format(R"(<svg x="{}" y="{}" overflow="visible"><path class="s{}" d="{}"/></svg>)", x, y, series,
                     shapes[series % shapes.size()]);
}

std::string line_of(const Curve& curve, std::size_t index, const LogAxis& x_axis, const LogAxis& y_axis) {
  std::string lines;
  std::string marks;
  std::string last_x;
  std::string last_y;
  for (const auto& [value, seconds] : curve.seconds) {
    const std::string x = percent_text(x_axis.percent(value));
    const std::string y = percent_text(y_axis.percent(seconds));
    if (!last_x.empty()) {
      lines += fmt::format(R"(<line class="s{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", index, last_x, last_y, x, y);
    }
    marks += marker(index, x, y);
    last_x = x;
    last_y = y;
  }
  return lines + marks;
}

std::string x_scale(const LogAxis& axis, const std::set<double>& values) {
  constexpr double least_distance = 9;  // percent, so that labels do not touch on a telephone
  std::string svg;
  double last = -least_distance;
  for (const double value : values) {
    const double at = axis.percent(value);
    const std::string x = percent_text(at);
    svg += fmt::format(R"(<line class="grid" x1="{0}" x2="{0}" y1="4%" y2="92%"/>)", x);
    if (at - last < least_distance) continue;
    svg += fmt::format(R"(<text x="{}" y="98%" text-anchor="middle">{:g}</text>)", x, value);
    last = at;
  }
  return svg;
}

std::string y_scale(const LogAxis& axis) {
  std::string svg;
  for (const double tick : axis.ticks(6)) {
    const std::string y = percent_text(axis.percent(tick));
    svg += fmt::format(R"(<line class="grid" x1="0" x2="100%" y1="{0}" y2="{0}"/>)", y);
    svg += fmt::format(R"(<text x="0" y="{}" dy="-4">{}</text>)", y, analysis::duration_text(tick));
  }
  return svg;
}

std::string legend(const std::vector<Curve>& curves) {
  std::string html = "<p class=\"legend\">";
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string name = curves[i].name.empty() ? "all" : curves[i].name;
    html += fmt::format(R"(<span><svg width="16" height="12" aria-hidden="true">{}</svg> {}</span> )",
                        marker(i, "8", "6"), escape(clip(clean(name), label_columns)));
  }
  return html + "</p>\n";
}

std::string panel_html(const Panel& panel, sweep::Param axis) {
  std::set<double> values;
  std::vector<double> times;
  for (const auto& curve : panel.curves) {
    for (const auto& [value, seconds] : curve.seconds) {
      values.insert(value);
      times.push_back(seconds);
    }
  }
  const LogAxis x_axis({values.begin(), values.end()}, 16, 96);
  const LogAxis y_axis(times, 86, 8);
  std::string html;
  if (!panel.name.empty()) html += "<h3>" + escape(clip(clean(panel.name), label_columns)) + "</h3>\n";
  html += legend(panel.curves) + "<svg class=\"lines\" height=\"300\" role=\"img\" aria-label=\"Time against " +
          escape(sweep::info(axis).name) + "; the figures stand in the table of trials\">";
  html += y_scale(y_axis) + x_scale(x_axis, values);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) html += line_of(panel.curves[i], i, x_axis, y_axis);
  return html + "</svg>\n";
}

}  // namespace

std::string line_figure(const View& view) {
  const auto growth = analysis::growth(view.results, view.axes);
  if (!growth) return {};
  std::string html = fmt::format(
      "<figure>\n<figcaption><b>Time per {} against {}</b>, medians. Lower is less time; both axes are logarithmic.{}"
      "</figcaption>\n",
      growth->per_sample ? "sample" : "step", sweep::info(growth->axis).name,
      growth->left_out ? " Not every setting is drawn; the table of trials has more." : "");
  for (const auto& panel : growth->panels) html += panel_html(panel, growth->axis);
  return html + "</figure>\n";
}

}  // namespace regatta::report
