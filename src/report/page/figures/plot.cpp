#include "report/page/figures/plot.hpp"

#include <fmt/format.h>

#include <array>

#include "regatta/report/wording.hpp"
#include "report/html_text.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_time_ticks = 6;
constexpr double least_distance = 9;  // percent, so that labels do not touch on a telephone

}  // namespace

std::string series_mark(std::size_t series, const std::string& x, const std::string& y) {
  constexpr std::array<const char*, 4> shapes = {"M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-4,-4h8v8h-8z",
                                                 "M0,-5l5,5l-5,5l-5,-5z", "M0,-5l5,9h-10z"};
  return fmt::format(R"(<svg x="{}" y="{}" overflow="visible"><path class="s{}" d="{}"/></svg>)", x, y,
                     series % series_count, shapes[series % shapes.size()]);
}

std::string stretched(const std::string& svg) {
  return R"(<svg width="100%" height="100%" viewBox="0 0 100 100" preserveAspectRatio="none">)" + svg + "</svg>";
}

std::string legend_entry(const std::string& sign, std::string_view text) {
  return fmt::format(R"(<span><svg width="16" height="12" aria-hidden="true">{}</svg> {}</span> )", sign, cell(text));
}

std::string value_scale(const LogAxis& axis, const std::vector<double>& values) {
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

std::string time_scale(const LogAxis& axis) {
  std::string svg;
  for (const double tick : axis.ticks(most_time_ticks)) {
    const std::string y = percent_text(axis.percent(tick));
    svg += fmt::format(R"(<line class="grid" x1="0" x2="100%" y1="{0}" y2="{0}"/>)", y);
    svg += fmt::format(R"(<text x="0" y="{}" dy="-4">{}</text>)", y, duration_text(tick));
  }
  return svg;
}

std::string plot(std::string_view label, const std::string& svg) {
  return fmt::format("<svg class=\"lines\" height=\"300\" role=\"img\" aria-label=\"{}\">{}</svg>\n",
                     cell(label, sentence_columns), svg);
}

}  // namespace regatta::report
