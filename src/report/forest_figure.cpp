#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "regatta/analysis/wording.hpp"
#include "report/figures.hpp"
#include "report/log_axis.hpp"
#include "report/text.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

constexpr std::size_t most_rows = 80;
constexpr std::size_t most_ticks = 6;
constexpr std::size_t label_columns = 60;
constexpr double middle = 13;  // of a row that is 26 pixels high

/// The rows shown, and what they share.
struct Forest {
  std::vector<std::vector<const Contrast*>> groups;  ///< parallel to View::groups
  std::size_t rows = 0;
  std::size_t left_out = 0;
  std::string baseline;  ///< if it is the same everywhere
};

std::string arm_of(const View& view, TrialIndex trial) {
  return analysis::label(view.results.trials[trial.value].parameters, view.axes.arm);
}

Forest collect(const View& view) {
  std::vector<std::size_t> group_of(view.results.trials.size());
  for (std::size_t i = 0; i < view.groups.size(); ++i) {
    for (const TrialIndex trial : view.groups[i].trials) group_of[trial.value] = i;
  }
  Forest forest;
  forest.groups.resize(view.groups.size());
  std::set<std::string> baselines;
  for (const auto& contrast : view.contrasts.contrasts) {
    if (forest.rows == most_rows) {
      ++forest.left_out;
      continue;
    }
    forest.groups[group_of[contrast.a.value]].push_back(&contrast);
    baselines.insert(arm_of(view, contrast.b));
    ++forest.rows;
  }
  if (baselines.size() == 1) forest.baseline = *baselines.begin();
  return forest;
}

LogAxis axis_over(const Forest& forest) {
  std::vector<double> values = {1};
  for (const auto& group : forest.groups) {
    for (const auto* contrast : group) {
      values.insert(values.end(), {contrast->ratio, contrast->low.value_or(1), contrast->high.value_or(1)});
    }
  }
  return {values, 4, 96};
}

std::string grid(const LogAxis& axis) {
  std::string lines;
  for (const double tick : axis.ticks(most_ticks)) {
    const std::string x = percent_text(axis.percent(tick));
    lines += fmt::format(R"(<line class="grid" x1="{0}" x2="{0}" y1="0" y2="100%"/>)", x);
  }
  return lines +
         fmt::format(R"(<line class="one" x1="{0}" x2="{0}" y1="0" y2="100%"/>)", percent_text(axis.percent(1)));
}

std::string mark(const Contrast& contrast, const LogAxis& axis) {
  std::string svg;
  bool holds_one = true;
  if (contrast.low && contrast.high) {
    const std::string low = percent_text(axis.percent(*contrast.low));
    const std::string high = percent_text(axis.percent(*contrast.high));
    svg = fmt::format(R"(<line class="bar" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>)", low, high, middle);
    for (const auto& end : {low, high}) {
      svg += fmt::format(R"(<line class="bar" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>)", end, middle - 4, middle + 4);
    }
    holds_one = *contrast.low <= 1 && *contrast.high >= 1;
  }
  return svg + fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="4"/>)", holds_one ? "dot hollow" : "dot",
                           percent_text(axis.percent(contrast.ratio)), middle);
}

std::string row(const View& view, const Contrast& contrast, const Forest& forest, const LogAxis& axis,
                const std::string& grid_lines) {
  std::string name = arm_of(view, contrast.a);
  if (forest.baseline.empty()) name += " / " + arm_of(view, contrast.b);
  return fmt::format(
      "<div class=\"row\"><span class=\"name\">{}</span>"
      "<svg class=\"plot\" height=\"26\" aria-hidden=\"true\">{}{}</svg>"
      "<span class=\"value\"><b>{}</b> {} {}</span></div>\n",
      escape(clip(clean(name), label_columns)), grid_lines, mark(contrast, axis), analysis::ratio_text(contrast.ratio),
      analysis::interval_text(contrast.low, contrast.high), analysis::verdict_text(contrast));
}

std::string scale(const LogAxis& axis) {
  std::string svg =
      "<div class=\"row scale\"><span class=\"name\">\u2190 less time</span><svg class=\"plot\" height=\"20\">";
  for (const double tick : axis.ticks(most_ticks)) {
    svg +=
        fmt::format(R"(<text x="{}" y="14" text-anchor="middle">{:g}x</text>)", percent_text(axis.percent(tick)), tick);
  }
  return svg + "</svg><span class=\"value\">more time \u2192</span></div>\n";
}

std::string caption(const Forest& forest) {
  const std::string against =
      forest.baseline.empty() ? "the second arm" : escape(clip(clean(forest.baseline), label_columns));
  std::string text = fmt::format(
      "<figcaption><b>Time relative to {}</b> at the same setting. Right of the line at 1x: takes longer; left: takes "
      "less. Dot: ratio; bar: 95 % interval; hollow dot: 1x lies inside the interval. Logarithmic axis.",
      against);
  if (forest.left_out > 0)
    text += fmt::format(" The first {} of {} ratios.", forest.rows, forest.rows + forest.left_out);
  return text + "</figcaption>\n";
}

}  // namespace

std::string forest_figure(const View& view) {
  const Forest forest = collect(view);
  if (forest.rows == 0) return {};
  const LogAxis axis = axis_over(forest);
  const std::string grid_lines = grid(axis);
  std::string html = "<figure class=\"forest\">\n" + caption(forest);
  for (std::size_t i = 0; i < forest.groups.size(); ++i) {
    if (forest.groups[i].empty()) continue;
    const std::string& name = view.groups[i].label;
    if (!name.empty()) html += "<h3>" + escape(clip(clean(name), label_columns)) + "</h3>\n";
    for (const auto* contrast : forest.groups[i]) html += row(view, *contrast, forest, axis, grid_lines);
  }
  return html + scale(axis) + "</figure>\n";
}

}  // namespace regatta::report
