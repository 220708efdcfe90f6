#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "regatta/analysis/learning_curves.hpp"
#include "regatta/report/wording.hpp"
#include "report/findings/learning_words.hpp"
#include "report/findings/rank_lines.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figures.hpp"
#include "report/page/figures/plot.hpp"
#include "report/page/figures/quality_axis.hpp"

namespace regatta::report {
namespace {

using analysis::CurveStage;
using analysis::LearningCurve;
using analysis::LearningCurves;

constexpr std::size_t most_traces = 300;
constexpr double least_label_distance = 5;  // percent of the height
constexpr double label_width = 3;           // percent of the width
constexpr std::size_t most_value_ticks = 7;

/// One panel: the quantity of the level axis, and both axes.
struct CurvePanel {
  bool by_seconds = false;
  LogAxis x;
  QualityAxis y;

  [[nodiscard]] std::string point(double place, double value) const {
    return fmt::format("{:.2f},{:.2f} ", x.percent(place), y.percent(value));
  }
};

double place_of(const CurveStage& stage, bool by_seconds) {
  return by_seconds ? stage.seconds : static_cast<double>(stage.progress);
}

CurvePanel panel_of(const Learning& learning, const LearningCurves& all, bool by_seconds) {
  std::vector<double> places, values;
  for (const LearningCurve& curve : all.curves) {
    for (const CurveStage& stage : curve.stages) {
      places.push_back(place_of(stage, by_seconds));
      values.insert(values.end(), {stage.low, stage.high});
    }
  }
  for (const auto& trace : all.traces) {
    for (std::size_t i = 0; i < trace.points.size(); ++i) {
      places.push_back(by_seconds ? trace.seconds[i] : static_cast<double>(trace.points[i].first));
      values.push_back(trace.points[i].second);
    }
  }
  return {by_seconds, LogAxis(places, 9, 96), QualityAxis(learning, values)};
}

std::string polyline(const char* style, std::string points) {
  if (points.empty()) return {};
  points.pop_back();
  return fmt::format(R"(<polyline class="{}" points="{}"/>)", style, points);
}

/// Thin lines, each with a dot where it was stopped.
std::string traces_of(const CurvePanel& panel, const LearningCurves& all) {
  std::string svg;
  for (std::size_t i = 0; i < std::min(all.traces.size(), most_traces); ++i) {
    const auto& trace = all.traces[i];
    std::string points;
    for (std::size_t k = 0; k < trace.points.size(); ++k) {
      const double place = panel.by_seconds ? trace.seconds[k] : static_cast<double>(trace.points[k].first);
      points += panel.point(place, trace.points[k].second);
    }
    if (points.empty()) continue;
    const std::string last = points.substr(points.find_last_of(' ', points.size() - 2) + 1);
    svg += polyline("trace", points) + fmt::format(R"(<path class="trace end" d="M{}h0"/>)", last);
  }
  return svg.empty() ? svg : stretched(svg);
}

std::string curve_svg(const CurvePanel& panel, const LearningCurve& curve, std::size_t series) {
  std::string middle, upper, lower;
  for (const CurveStage& stage : curve.stages) {
    const double place = place_of(stage, panel.by_seconds);
    middle += panel.point(place, stage.median);
    upper += panel.point(place, stage.high);
    lower.insert(0, panel.point(place, stage.low));
  }
  const std::string ribbon = curve.runs > 1 ? fmt::format(R"(<path class="ribbon r{} faint" d="M{}L{}z"/>)",
                                                          series % series_count, upper, lower)
                                            : std::string();
  return stretched(ribbon + polyline(fmt::format("curve s{}", series % series_count).c_str(), middle));
}

struct EndLabel {
  double x = 0;  ///< percent, as all here
  double y = 0;
  std::size_t rank = 0;
};

/// Labels side by side part until they do not touch.
void move_apart(std::vector<EndLabel>& labels) {
  constexpr int most_rounds = 40;
  std::ranges::sort(labels, {}, &EndLabel::y);
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t i = 0; i + 1 < labels.size(); ++i) {
      for (std::size_t k = i + 1; k < labels.size(); ++k) {
        const double missing = least_label_distance - (labels[k].y - labels[i].y);
        if (missing <= 0 || std::abs(labels[k].x - labels[i].x) > label_width) continue;
        labels[i].y -= missing / 2;
        labels[k].y += missing / 2;
      }
    }
    std::ranges::sort(labels, {}, &EndLabel::y);
  }
}

/// Ranks beside the ends of the lines.
std::string end_labels(const CurvePanel& panel, const LearningCurves& all) {
  std::vector<EndLabel> labels;
  std::string svg;
  for (std::size_t i = 0; i < all.curves.size(); ++i) {
    const CurveStage& last = all.curves[i].stages.back();
    const EndLabel end{panel.x.percent(place_of(last, panel.by_seconds)), panel.y.percent(last.median), i + 1};
    svg += series_mark(i, percent_text(end.x), percent_text(end.y));
    labels.push_back(end);
  }
  move_apart(labels);
  for (const EndLabel& label : labels)
    svg += fmt::format(R"(<text class="end-label" x="{}" y="{}" dx="8" dy="4">{}</text>)", percent_text(label.x),
                       percent_text(label.y), label.rank);
  return svg;
}

std::string level_scale(const CurvePanel& panel) {
  std::string svg;
  for (const double tick : panel.x.ticks(most_value_ticks)) {
    const std::string text = panel.by_seconds ? duration_text(tick) : fmt::format("{:g}", tick);
    svg += fmt::format(
        R"(<line class="grid" x1="{0}" x2="{0}" y1="4%" y2="92%"/><text x="{0}" y="98%" text-anchor="middle">{1}</text>)",
        percent_text(panel.x.percent(tick)), text);
  }
  return svg;
}

std::string panel_html(const View& view, const LearningCurves& all, bool by_seconds) {
  const Learning& learning = *view.learning;
  const CurvePanel panel = panel_of(learning, all, by_seconds);
  std::string svg = panel.y.scale() + level_scale(panel) + traces_of(panel, all);
  for (std::size_t i = all.curves.size(); i-- > 0;) svg += curve_svg(panel, all.curves[i], i);
  svg += end_labels(panel, all);
  const std::string against = by_seconds ? "seconds of training" : all.by_samples ? "samples seen" : "steps";
  const std::string title = objective_name(learning) + " against " + against;
  return "<h3>" + cell(title) + "</h3>\n" + plot(title + "; the table below has its figures", svg);
}

/// A line for each: names are long.
std::string names_of_curves(const View& view, const LearningCurves& all) {
  std::string html;
  const auto add = [&](const std::string& sign, const std::string& name) {
    html += fmt::format(
        "<p class=\"legend\"><span><svg width=\"16\" height=\"12\" aria-hidden=\"true\">{}</svg> "
        "{}</span></p>\n",
        sign, cell(name, sentence_columns));
  };
  for (std::size_t i = 0; i < all.curves.size(); ++i)
    add(series_mark(i, "8", "6"),
        fmt::format("{}: {}", i + 1, configuration_text(view, *view.learning, all.curves[i].trial)));
  if (!all.traces.empty()) add(R"(<line class="trace" x1="0" x2="16" y1="6" y2="6"/>)", "runs of the search");
  return html;
}

std::string stages_table(const View& view, const LearningCurves& all) {
  const bool is_accuracy = analysis::is_accuracy(view.learning->objective.metric);
  std::string html = "<table><thead><tr>" + column_head("rank", true) +
                     column_head(all.by_samples ? "samples" : "steps", true) +
                     column_head("seconds of training", true) + column_head("median", true) +
                     column_head("lowest and highest run") + "</tr></thead>\n<tbody>";
  for (std::size_t i = 0; i < all.curves.size(); ++i) {
    for (const CurveStage& stage : all.curves[i].stages)
      html += fmt::format(
          "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
          "<td class=\"n\">{}</td><td>{}</td></tr>\n",
          i + 1, stage.progress, duration_text(stage.seconds), quality_text(is_accuracy, stage.median),
          interval_text(is_accuracy, {stage.low, stage.high}));
  }
  return details("The figures of the thick lines as a table", scrolled("learning curves", html + "</tbody></table>"));
}

}  // namespace

std::string learning_figure(const View& view) {
  if (!view.learning) return {};
  const Learning& learning = *view.learning;
  const LearningCurves all = analysis::learning_curves(view.results, learning, series_count);
  if (all.curves.empty() && all.traces.empty()) return {};
  std::string html = fmt::format(
      "<figure>\n<figcaption><b>{} during training.</b> Thick: the median over seeds, with the range of all runs. The "
      "number at its end is the rank in the table.{} Both axes are logarithmic{}.</figcaption>\n",
      cell(capitalized(objective_name(learning))),
      all.traces.empty() ? "" : " Thin and grey: runs of the search, up to where each was stopped.",
      analysis::is_accuracy(learning.objective.metric) ? ", the upright one by errors, so that 98 and 99 % stand apart"
                                                       : "");
  html += panel_html(view, all, false) + names_of_curves(view, all) + panel_html(view, all, true);
  return html + stages_table(view, all) + "</figure>\n";
}

}  // namespace regatta::report
