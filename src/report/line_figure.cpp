#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "regatta/analysis/wording.hpp"
#include "regatta/stats/summary.hpp"
#include "report/figures.hpp"
#include "report/log_axis.hpp"
#include "report/text.hpp"

namespace regatta::report {
namespace {

using sweep::Param;

constexpr std::size_t most_panels = 6;
constexpr std::size_t most_series = 8;
constexpr std::size_t most_values = 60;
constexpr std::size_t label_columns = 60;

/// One line: the times measured at each value of the axis (several with repeats or seeds).
struct Series {
  std::string name;
  std::map<double, std::vector<double>> times;
};

struct Panel {
  std::string name;
  std::vector<Series> series;
};

/// The numeric parameter along which most values were measured; at least two.
std::optional<Param> numeric_axis(const View& view) {
  std::optional<Param> best;
  std::size_t most = 1;
  for (const Param param : {Param::batch, Param::length, Param::threads, Param::ranks}) {
    std::set<std::int64_t> values;
    for (const auto& trial : view.results.trials) {
      if (const auto* value = std::get_if<std::int64_t>(&trial.parameters[param])) values.insert(*value);
    }
    if (values.size() <= most) continue;
    most = values.size();
    best = param;
  }
  return best;
}

std::vector<Param> without(const std::vector<Param>& params, std::initializer_list<Param> removed) {
  std::vector<Param> kept;
  for (const Param param : params) {
    if (std::find(removed.begin(), removed.end(), param) == removed.end()) kept.push_back(param);
  }
  return kept;
}

template <class Item>
Item* named(std::vector<Item>& items, const std::string& name, std::size_t most) {
  for (auto& item : items) {
    if (item.name == name) return &item;
  }
  if (items.size() == most) return nullptr;
  items.push_back({});
  items.back().name = name;
  return &items.back();
}

struct Chart {
  Param axis = Param::batch;
  bool per_sample = true;  ///< every drawn trial has a batch
  std::vector<Panel> panels;
  bool left_out = false;
};

/// The batch of a trial, if it reads one.
std::optional<double> batch_of(const results::TrialRow& trial) {
  const auto* batch = std::get_if<std::int64_t>(&trial.parameters[Param::batch]);
  return batch && *batch > 0 ? std::optional(static_cast<double>(*batch)) : std::nullopt;
}

/// The trial's place on the axis; nothing if it has no time or does not read the axis.
std::optional<double> place_of(const results::TrialRow& trial, Param axis) {
  const auto time = analysis::metric(trial, "step_time");
  const auto* x = std::get_if<std::int64_t>(&trial.parameters[axis]);
  return time && *time > 0 && x && *x > 0 ? std::optional(static_cast<double>(*x)) : std::nullopt;
}

/// The values measured along the axis, thinned evenly to what a figure can show.
std::set<double> drawn_values(const View& view, Param axis) {
  std::set<double> values;
  for (const auto& trial : view.results.trials) {
    if (const auto x = place_of(trial, axis)) values.insert(*x);
  }
  const std::size_t every = (values.size() + most_values - 1) / most_values;
  std::set<double> drawn;
  std::size_t position = 0;
  for (const double value : values) {
    if (position++ % every == 0) drawn.insert(value);
  }
  return drawn;
}

Chart collect(const View& view, Param axis) {
  const auto series_params = without(view.axes.arm, {axis, Param::repeat, Param::seed});
  const auto panel_params = without(view.axes.stratum, {axis, Param::repeat, Param::seed});
  const auto drawn = drawn_values(view, axis);
  Chart chart;
  chart.axis = axis;
  for (const auto& trial : view.results.trials) {
    if (place_of(trial, axis) && !batch_of(trial)) chart.per_sample = false;
  }
  for (const auto& trial : view.results.trials) {
    const auto x = place_of(trial, axis);
    if (!x) continue;
    if (!drawn.contains(*x)) {
      chart.left_out = true;
      continue;
    }
    auto* panel = named(chart.panels, analysis::label(trial.parameters, panel_params), most_panels);
    auto* series =
        panel ? named(panel->series, analysis::label(trial.parameters, series_params), most_series) : nullptr;
    chart.left_out = chart.left_out || !series;
    if (!series) continue;
    const double work = chart.per_sample ? batch_of(trial).value_or(1) : 1;
    series->times[*x].push_back(trial.metrics.at("step_time") / work);
  }
  std::erase_if(chart.panels, [](const Panel& panel) {
    return std::none_of(panel.series.begin(), panel.series.end(),
                        [](const auto& line) { return line.times.size() > 1; });
  });
  return chart;
}

/// A mark at a percent position; its shape tells the series apart without colour.
std::string marker(std::size_t series, const std::string& x, const std::string& y) {
  constexpr std::array<const char*, 4> shapes = {"M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-4,-4h8v8h-8z",
                                                 "M0,-5l5,5l-5,5l-5,-5z", "M0,-5l5,9h-10z"};
  return fmt::format(R"(<svg x="{}" y="{}" overflow="visible"><path class="s{}" d="{}"/></svg>)", x, y, series,
                     shapes[series % shapes.size()]);
}

std::string line_of(const Series& series, std::size_t index, const LogAxis& x_axis, const LogAxis& y_axis) {
  std::string lines;
  std::string marks;
  std::string last_x;
  std::string last_y;
  for (const auto& [value, times] : series.times) {
    const std::string x = percent_text(x_axis.percent(value));
    const std::string y = percent_text(y_axis.percent(stats::median(times)));
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

std::string legend(const std::vector<Series>& series) {
  std::string html = "<p class=\"legend\">";
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string name = series[i].name.empty() ? "all" : series[i].name;
    html += fmt::format(R"(<span><svg width="16" height="12" aria-hidden="true">{}</svg> {}</span> )",
                        marker(i, "8", "6"), escape(clip(clean(name), label_columns)));
  }
  return html + "</p>\n";
}

std::string panel_html(const Panel& panel, Param axis) {
  std::set<double> values;
  std::vector<double> times;
  for (const auto& series : panel.series) {
    for (const auto& [value, measured] : series.times) {
      values.insert(value);
      times.push_back(stats::median(measured));
    }
  }
  const LogAxis x_axis({values.begin(), values.end()}, 14, 96);
  const LogAxis y_axis(times, 86, 8);
  std::string html;
  if (!panel.name.empty()) html += "<h3>" + escape(clip(clean(panel.name), label_columns)) + "</h3>\n";
  html += legend(panel.series) + "<svg class=\"lines\" height=\"300\" role=\"img\" aria-label=\"Time against " +
          escape(sweep::info(axis).name) + "; the figures stand in the table of trials\">";
  html += y_scale(y_axis) + x_scale(x_axis, values);
  for (std::size_t i = 0; i < panel.series.size(); ++i) html += line_of(panel.series[i], i, x_axis, y_axis);
  return html + "</svg>\n";
}

}  // namespace

std::string line_figure(const View& view) {
  const auto axis = numeric_axis(view);
  if (!axis) return {};
  const Chart chart = collect(view, *axis);
  if (chart.panels.empty()) return {};
  std::string html = fmt::format(
      "<figure>\n<figcaption><b>Time per {} against {}</b>, medians. Lower is less time; both axes are logarithmic.{}"
      "</figcaption>\n",
      chart.per_sample ? "sample" : "step", sweep::info(*axis).name,
      chart.left_out ? " Not every setting is drawn; the table of trials has more." : "");
  for (const auto& panel : chart.panels) html += panel_html(panel, *axis);
  return html + "</figure>\n";
}

}  // namespace regatta::report
