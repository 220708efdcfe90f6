#include <fmt/format.h>

#include <algorithm>

#include "regatta/report/wording.hpp"
#include "report/findings/summary.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figure_rows.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using analysis::CloneCheck;

constexpr std::size_t most_clones_rows = 40;

LogAxis axis_over(const std::vector<CloneCheck>& clones) {
  std::vector<double> values = {0.98, 1, 1.02};
  for (const CloneCheck& clone : clones) {
    values.insert(values.end(), {clone.ratio, clone.low.value_or(1), clone.high.value_or(1)});
    if (clone.plain) values.insert(values.end(), {clone.plain->ratio, clone.plain->low, clone.plain->high});
  }
  return {values, 4, 96};
}

std::string taking_turns(const CloneCheck& clone, const View& view, double indifference, const LogAxis& axis,
                         const std::string& grid) {
  const RatioMark mark{clone.ratio, clone.low, clone.high, indifference, clone.verdict};
  analysis::JudgedRatio judged = judged_ratio(clone);
  judged.metric = view.contrasts.metric;
  return figure_row("taking turns", grid + ratio_mark(mark, axis), ratio_html(judged));
}

std::string plain_loops(const CloneCheck::PlainLoops& plain, const LogAxis& axis, const std::string& grid) {
  const auto verdict = plain.low > 1    ? stats::Verdict::slower
                       : plain.high < 1 ? stats::Verdict::faster
                                        : stats::Verdict::undecided;
  const RatioMark mark{plain.ratio, plain.low, plain.high, 0, verdict};
  const std::string value =
      fmt::format("<b>{}</b> {} {}", directed_text(plain.ratio), directed_interval(plain.ratio, plain.low, plain.high),
                  plain.tells_apart() ? "\u201cdifferent\u201d" : "no difference");
  return figure_row("two plain loops", grid + ratio_mark(mark, axis), value);
}

constexpr std::string_view clones_caption =
    "<figcaption><b>Identical code, measured twice in processes of its own.</b> The truth is 1x. \u201cTaking "
    "turns\u201d "
    "is judged as every ratio of this page is. \u201cTwo plain loops\u201d are the same slices without taking "
    "turns. One process has the first half of the time, the other the second half (mean and 1.96 standard "
    "errors). Grey band: differences that do not matter (the margin).</figcaption>\n";

}  // namespace

std::string clones_figure(const View& view) {
  const auto& clones = view.contrasts.clones;
  if (clones.empty()) return {};
  const LogAxis axis = axis_over(clones);
  const std::string grid = ratio_grid(axis);
  const double indifference = margin_of(view);
  std::string html = "<figure class=\"clones\">\n" + std::string(clones_caption);
  for (std::size_t i = 0; i < std::min(clones.size(), most_clones_rows); ++i) {
    const auto& parameters = view.results.trials[clones[i].trial.value].parameters;
    const std::string name = analysis::trial_label(parameters, view.axes);
    std::string rows = taking_turns(clones[i], view, indifference, axis, grid);
    if (clones[i].plain) rows += plain_loops(*clones[i].plain, axis, grid);
    html += "<h3>" + cell(name) + "</h3>\n" + figure_rows("the same code twice: " + name, rows);
  }
  return html + ratio_scale(axis) + more(most_clones_rows, clones.size(), "checks") + "</figure>\n";
}

}  // namespace regatta::report
