#include "report/page/figures/figure_rows.hpp"

#include <fmt/format.h>

#include "report/html_text.hpp"

namespace regatta::report {
namespace {

std::string band(double indifference, const LogAxis& axis) {
  if (!(indifference > 0)) return {};
  const double low = axis.percent(1 / (1 + indifference));
  const double high = axis.percent(1 + indifference);
  return fmt::format(R"(<rect class="band" x="{}" width="{}" y="0" height="100%"/>)", percent_text(low),
                     percent_text(high - low));
}

}  // namespace

std::string figure_rows(std::string_view label, const std::string& rows) {
  return fmt::format("<div role=\"table\" aria-label=\"{}\">\n{}</div>\n", cell(label, sentence_columns), rows);
}

std::string figure_row(std::string_view name, const std::string& drawing, const std::string& value) {
  return fmt::format(
      "<div class=\"row\" role=\"row\"><span class=\"name\" role=\"rowheader\">{}</span>"
      "<svg class=\"plot\" height=\"26\" aria-hidden=\"true\">{}</svg>"
      "<span class=\"value\" role=\"cell\">{}</span></div>\n",
      cell(name), drawing, value);
}

std::string interval_bar(const std::string& low, const std::string& high) {
  std::string svg = fmt::format(R"(<line class="bar" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>)", low, high, row_middle);
  for (const auto& end : {low, high}) {
    svg +=
        fmt::format(R"(<line class="bar" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>)", end, row_middle - 4, row_middle + 4);
  }
  return svg;
}

std::string verdict_mark(const std::string& x, stats::Verdict verdict) {
  const char* shape = "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z";
  const char* name = "undecided";
  switch (verdict) {
    case stats::Verdict::slower:
      shape = "M-4,-5.5l10,5.5l-10,5.5z";
      name = "slower";
      break;
    case stats::Verdict::faster:
      shape = "M4,-5.5l-10,5.5l10,5.5z";
      name = "faster";
      break;
    case stats::Verdict::same:
      shape = "M-4.5,-4.5h9v9h-9z";
      name = "same";
      break;
    case stats::Verdict::undecided:
      break;
  }
  return fmt::format(R"(<svg x="{}" y="{}" overflow="visible"><path class="mark {}" d="{}"/></svg>)", x, row_middle,
                     name, shape);
}

std::string ratio_mark(const RatioMark& mark, const LogAxis& axis) {
  std::string svg = band(mark.indifference, axis);
  if (mark.low && mark.high)
    svg += interval_bar(percent_text(axis.percent(*mark.low)), percent_text(axis.percent(*mark.high)));
  return svg + verdict_mark(percent_text(axis.percent(mark.ratio)), mark.verdict);
}

std::string ratio_grid(const LogAxis& axis) {
  std::string lines;
  for (const double tick : axis.ticks(most_ratio_ticks)) {
    const std::string x = percent_text(axis.percent(tick));
    lines += fmt::format(R"(<line class="grid" x1="{0}" x2="{0}" y1="0" y2="100%"/>)", x);
  }
  return lines +
         fmt::format(R"(<line class="one" x1="{0}" x2="{0}" y1="0" y2="100%"/>)", percent_text(axis.percent(1)));
}

std::string ratio_scale(const LogAxis& axis) {
  std::string svg =
      "<div class=\"row scale\" aria-hidden=\"true\"><span class=\"name\">\u2190 faster</span>"
      "<svg class=\"plot\" height=\"20\">";
  for (const double tick : axis.ticks(most_ratio_ticks)) {
    svg += fmt::format(R"(<text x="{}" y="14" text-anchor="middle">{:.3g}x</text>)", percent_text(axis.percent(tick)),
                       tick < 1 ? 1 / tick : tick);
  }
  return svg + "</svg><span class=\"value\">slower \u2192</span></div>\n";
}

}  // namespace regatta::report
