#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/html_text.hpp"
#include "report/page/figures/figure_rows.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

constexpr std::size_t most_forest_rows = 80;

/// The rows shown, and what they share.
struct Forest {
  std::vector<std::vector<const Contrast*>> groups;  ///< parallel to View::groups
  std::size_t rows = 0;
  std::size_t left_out = 0;
  std::string baseline;  ///< if it is the same everywhere
};

Forest collect(const View& view) {
  std::vector<std::size_t> group_of(view.results.trials.size());
  for (std::size_t i = 0; i < view.groups.size(); ++i) {
    for (const TrialIndex trial : view.groups[i].trials) group_of[trial.value] = i;
  }
  Forest forest;
  forest.groups.resize(view.groups.size());
  std::set<std::string> baselines;
  for (const auto& contrast : view.contrasts.contrasts) {
    if (contrast.difference) continue;  // it has no place on an axis of ratios
    if (forest.rows == most_forest_rows) {
      ++forest.left_out;
      continue;
    }
    forest.groups[group_of[contrast.a.value]].push_back(&contrast);
    baselines.insert(arm_of(view, contrast.b));
    ++forest.rows;
  }
  for (auto& group : forest.groups) std::ranges::stable_sort(group, {}, &Contrast::ratio);
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

std::string row(const View& view, const Contrast& contrast, const Forest& forest, const LogAxis& axis,
                const std::string& grid_lines) {
  std::string name = arm_of(view, contrast.a);
  if (forest.baseline.empty()) name += " / " + arm_of(view, contrast.b);
  const RatioMark mark{contrast.ratio, contrast.low, contrast.high, contrast.margin, contrast.verdict};
  return figure_row(name, grid_lines + ratio_mark(mark, axis), ratio_html(judged_ratio(contrast)));
}

std::string forest_caption(const Forest& forest) {
  const std::string against = forest.baseline.empty() ? "the second arm" : cell(forest.baseline);
  std::string text = fmt::format(
      "<figcaption><b>Time relative to {}</b> at the same setting, on a logarithmic axis. Right of the line at 1x: "
      "takes "
      "longer; left: takes less. Line: 95 % interval. Grey band: differences that do not matter (the margin). "
      "Shape: \u25b6 slower, \u25c0 faster, \u25a0 same, \u25cb not known yet.",
      against);
  if (forest.left_out > 0)
    text +=
        fmt::format(" The first {} of {} ratios; all are in the result file and in <code>regatta report --json</code>.",
                    forest.rows, forest.rows + forest.left_out);
  return text + "</figcaption>\n";
}

}  // namespace

std::string forest_figure(const View& view) {
  const Forest forest = collect(view);
  if (forest.rows == 0) return {};
  const LogAxis axis = axis_over(forest);
  const std::string grid_lines = ratio_grid(axis);
  std::string html = "<figure class=\"forest\">\n" + forest_caption(forest);
  for (std::size_t i = 0; i < forest.groups.size(); ++i) {
    if (forest.groups[i].empty()) continue;
    const std::string& name = view.groups[i].label;
    if (!name.empty()) html += "<h3>" + cell(name) + "</h3>\n";
    std::string rows;
    for (const auto* contrast : forest.groups[i]) rows += row(view, *contrast, forest, axis, grid_lines);
    html += figure_rows(name.empty() ? "ratios" : "ratios at " + name, rows);
  }
  return html + ratio_scale(axis) + "</figure>\n";
}

}  // namespace regatta::report
