#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "report/page/figures/figures.hpp"
#include "report/page/figures/plot.hpp"

namespace regatta::report {
namespace {

using analysis::RankCell;
using analysis::RankScaling;

/// A cell in the drawing: the base is 1 by definition and has no interval.
struct Gain {
  std::int64_t ranks = 1;
  stats::Estimate gain;
};

/// Cells with one number of shards.
struct GainSeries {
  std::int64_t shards = 0;
  std::vector<Gain> points;
};

std::vector<GainSeries> series_of(const RankScaling& group) {
  std::vector<GainSeries> all;
  for (std::size_t i = 0; i < group.cells.size(); ++i) {
    const RankCell& cell = group.cells[i];
    const bool is_base = group.base == i;
    if (!is_base && !cell.against_base) continue;
    if (all.empty() || all.back().shards != cell.shards) all.push_back({cell.shards, {}});
    all.back().points.push_back({cell.ranks, is_base ? stats::Estimate{1, {}} : speed_up(*cell.against_base)});
  }
  return all;
}

struct GainAxes {
  LogAxis x;
  LogAxis y;
  std::vector<double> ranks;  ///< the ranks on the level axis
};

GainAxes gain_axes(const std::vector<GainSeries>& all) {
  std::set<double> ranks = {1};
  std::vector<double> gains = {1};
  for (const GainSeries& series : all) {
    for (const Gain& point : series.points) {
      ranks.insert(static_cast<double>(point.ranks));
      gains.push_back(point.gain.value);
      if (point.gain.range.finite()) gains.insert(gains.end(), {point.gain.range.low, point.gain.range.high});
    }
  }
  gains.push_back(*ranks.rbegin());
  const std::vector<double> shown(ranks.begin(), ranks.end());
  return {LogAxis(shown, 10, 96), LogAxis(gains, 86, 8), shown};
}

/// Lines at the gains that are round numbers here: the numbers of ranks, and halves below 1.
std::string gain_scale(const GainAxes& axes, double lowest) {
  std::vector<double> ticks = axes.ranks;
  for (double tick = 0.5; tick > lowest; tick /= 2) ticks.push_back(tick);
  std::string svg;
  for (const double tick : ticks) {
    const std::string y = percent_text(axes.y.percent(tick));
    svg += fmt::format(R"(<line class="{1}" x1="0" x2="100%" y1="{0}" y2="{0}"/>)", y, tick == 1 ? "one" : "grid");
    svg += fmt::format(R"(<text x="0" y="{}" dy="-4">{:.3g}x</text>)", y, tick);
  }
  return svg;
}

/// An interval with its ends, upright.
std::string whisker(const stats::Range& range, std::size_t index, const std::string& x, const GainAxes& axes) {
  const std::string low = percent_text(axes.y.percent(range.low));
  const std::string high = percent_text(axes.y.percent(range.high));
  std::string svg = fmt::format(R"(<line class="s{0} whisker" x1="{1}" x2="{1}" y1="{2}" y2="{3}"/>)",
                                index % series_count, x, low, high);
  for (const std::string& y : {low, high}) {
    svg += fmt::format(
        R"(<svg x="{}" y="{}" overflow="visible"><line class="s{} whisker" x1="-7" x2="7" y1="0" y2="0"/></svg>)", x, y,
        index % series_count);
  }
  return svg;
}

std::string drawn(const GainSeries& series, std::size_t index, const GainAxes& axes) {
  std::string lines;
  std::string marks;
  std::string last;
  for (const Gain& point : series.points) {
    const std::string x = percent_text(axes.x.percent(static_cast<double>(point.ranks)));
    const std::string y = percent_text(axes.y.percent(point.gain.value));
    if (!last.empty())
      lines += fmt::format(R"(<line class="s{}" {} x2="{}" y2="{}"/>)", index % series_count, last, x, y);
    last = fmt::format(R"(x1="{}" y1="{}")", x, y);
    if (point.gain.range.finite()) marks += whisker(point.gain.range, index, x, axes);
    marks += series_mark(index, x, y);
  }
  return lines + marks;
}

std::string ideal(const GainAxes& axes) {
  const auto at = [&](double ranks) {
    return fmt::format("{:.2f},{:.2f}", axes.x.percent(ranks), axes.y.percent(ranks));
  };
  return stretched(fmt::format(R"(<polyline class="roof" points="{} {}"/>)", at(1), at(axes.ranks.back())));
}

}  // namespace

std::string rank_gains(const RankScaling& group) {
  const auto all = series_of(group);
  const GainAxes axes = gain_axes(all);
  double lowest = 1;
  std::string legend = "<p class=\"legend\">";
  std::string svg;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = all[i].shards > 0 ? fmt::format("shards {}", all[i].shards) : "measured";
    legend += legend_entry(series_mark(i, "8", "6"), name);
    svg += drawn(all[i], i, axes);
    for (const Gain& point : all[i].points) {
      lowest = std::min(lowest, point.gain.value);
      if (point.gain.range.finite()) lowest = std::min(lowest, point.gain.range.low);
    }
  }
  const std::int64_t shards = group.cells[*group.base].shards;
  legend += legend_entry(
      R"(<line class="one" x1="0" x2="16" y1="6" y2="6"/>)",
      shards > 0 ? fmt::format("one rank, shards {}: what it is against", shards) : "one rank: what it is against");
  legend +=
      legend_entry(R"(<line class="roof" x1="0" x2="16" y1="6" y2="6"/>)", "ideal: as many times as fast as ranks");
  const std::string across = R"(<text x="0" y="98%">ranks</text>)";
  const std::string of_group = group.name.empty() ? "" : ", " + group.name;
  const std::string label = "Speed-up against the number of ranks" + of_group + "; the table below has its figures";
  return legend + "</p>\n" +
         plot(label, across + gain_scale(axes, lowest) + value_scale(axes.x, axes.ranks) + ideal(axes) + svg);
}

}  // namespace regatta::report
