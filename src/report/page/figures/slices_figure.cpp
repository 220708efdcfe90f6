#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "regatta/analysis/slice_series.hpp"
#include "regatta/report/wording.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figures.hpp"
#include "report/page/figures/plot.hpp"

namespace regatta::report {
namespace {

using analysis::ArmSeries;
using analysis::BlockSeries;
using analysis::SlicePoint;

constexpr std::size_t most_blocks = 40;
constexpr std::size_t most_points = 20'000;  // on the page: about 15 bytes each
constexpr std::size_t most_of_strip = 600;
constexpr double times_width = 84;  // percent; the histogram has the rest
constexpr double histogram_left = 88;
constexpr double histogram_width = 12;
constexpr std::size_t bins = 12;
const double least_half_range = std::log(1.02);
const double most_half_range = std::log(3);

std::vector<double> deviations_of(const ArmSeries& arm) {
  std::vector<double> logs;
  for (const SlicePoint& point : arm.points) {
    if (point.is_scored && point.step_seconds > 0) logs.push_back(std::log(point.step_seconds / arm.median_seconds));
  }
  return logs;
}

/// Half the range that a strip shows, log: nearly all of its slices.
double half_range_of(const ArmSeries& arm) {
  auto sizes = deviations_of(arm);
  for (double& size : sizes) size = std::abs(size);
  return std::clamp(1.3 * analysis::quantile_of(std::move(sizes), 0.95).value_or(0), least_half_range, most_half_range);
}

/// 8 % above, 92 % below; a slice that lies outside is drawn at the edge.
double height_of(double deviation, double half_range) {
  return 50 - 42 * std::clamp(deviation / half_range, -1.0, 1.0);
}

/// Zero-length strokes: round, square and lying or standing dashes keep their size however the strip is stretched.
std::string dots(const ArmSeries& arm, std::size_t index, double places, double half_range, bool scored) {
  constexpr std::array<const char*, 4> ends = {"h0", "h0", "h.6", "v5"};
  const std::size_t every = 1 + arm.points.size() / most_of_strip;
  std::string path;
  for (std::size_t i = 0; i < arm.points.size(); i += every) {
    const SlicePoint& point = arm.points[i];
    if (point.is_scored != scored || !(point.step_seconds > 0)) continue;
    path += fmt::format("M{:.1f},{:.0f}{}", times_width * point.place / places,
                        height_of(std::log(point.step_seconds / arm.median_seconds), half_range),
                        ends[index % ends.size()]);
  }
  if (path.empty()) return {};
  return fmt::format(R"(<path class="dots d{}{}" d="{}"/>)", index % series_count, scored ? "" : " pilot", path);
}

std::string flag_ticks(const ArmSeries& arm, double places) {
  std::string path;
  for (const SlicePoint& point : arm.points) {
    if (point.is_scored && point.flags != 0) path += fmt::format("M{:.1f},95v5", times_width * point.place / places);
  }
  return path.empty() ? "" : fmt::format(R"(<path class="flag" d="{}"/>)", path);
}

std::string histogram(const ArmSeries& arm, double half_range) {
  std::array<double, bins> counts{};
  for (const double deviation : deviations_of(arm)) {
    const double share = (std::clamp(deviation / half_range, -1.0, 1.0) + 1) / 2;
    counts[std::min(bins - 1, static_cast<std::size_t>(share * bins))] += 1;
  }
  const double most = *std::ranges::max_element(counts);
  std::string path;
  for (std::size_t i = 0; i < bins; ++i) {
    if (counts[i] == 0) continue;
    const double y = 92 - 84 * (static_cast<double>(i) + 0.5) / bins;
    path += fmt::format("M{:.0f},{:.1f}h{:.1f}", histogram_left, y, histogram_width * counts[i] / most);
  }
  return path.empty() ? "" : fmt::format(R"(<path class="histogram" d="{}"/>)", path);
}

/// Places before the first scored slice of any arm.
std::uint32_t pilot_places(const BlockSeries& series) {
  std::uint32_t first = series.places;
  for (const ArmSeries& arm : series.arms) {
    for (const SlicePoint& point : arm.points) {
      if (point.is_scored) first = std::min(first, point.place);
    }
  }
  return first;
}

std::string arm_name(const View& view, const ArmSeries& arm) {
  return arm_of(view, arm.trial) + (arm.is_clone ? " (again)" : "");
}

std::string strip(const View& view, const BlockSeries& series, std::size_t index) {
  const ArmSeries& arm = series.arms[index];
  const double places = std::max(1.0, static_cast<double>(series.places) - 1);
  const double half_range = half_range_of(arm);
  std::string svg = fmt::format(R"(<rect class="band" x="0" y="0" width="{:.1f}" height="100"/>)",
                                times_width * pilot_places(series) / places);
  svg += fmt::format(R"(<path class="grid" d="M0,50h{}"/>)", times_width);
  svg += dots(arm, index, places, half_range, false) + dots(arm, index, places, half_range, true);
  svg += flag_ticks(arm, places) + histogram(arm, half_range);
  return fmt::format(
      "<div class=\"row\" aria-hidden=\"true\"><span class=\"name\">{}</span><svg class=\"strip\" "
      "height=\"56\">{}</svg>"
      "<span class=\"value\"><b>{}</b> \u00b1{:.2g} %</span></div>\n",
      cell(arm_name(view, arm)), stretched(svg), duration_text(arm.median_seconds), 100 * std::expm1(half_range));
}

/// Median of the last third over that of the first: a series that rises.
std::string trend_text(const ArmSeries& arm) {
  const auto logs = deviations_of(arm);
  const auto third = static_cast<std::ptrdiff_t>(logs.size() / 3);
  if (third < 2) return std::string(dash);
  const double first = analysis::middle_of({logs.begin(), logs.begin() + third});
  const double last = analysis::middle_of({logs.end() - third, logs.end()});
  return fmt::format("{:+.2f} %", 100 * std::expm1(last - first));
}

std::string modes_text(const ArmSeries& arm) {
  if (arm.modes.size() < 2) return "one";
  std::string text;
  for (const auto& mode : arm.modes)
    text += fmt::format("{}{:.0f} % at {}", text.empty() ? "" : ", ", 100 * mode.weight,
                        duration_text(std::exp(mode.value)));
  return text;
}

std::string table_row(const View& view, const ArmSeries& arm) {
  const auto logs = deviations_of(arm);
  const auto flagged =
      std::ranges::count_if(arm.points, [](const SlicePoint& point) { return point.is_scored && point.flags != 0; });
  const auto low = analysis::quantile_of(logs, 0.05);
  const auto high = analysis::quantile_of(logs, 0.95);
  const std::string spread = low && high
                                 ? fmt::format("{:+.1f} to {:+.1f} %", 100 * std::expm1(*low), 100 * std::expm1(*high))
                                 : std::string(dash);
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
      "<td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
      cell(arm_name(view, arm)), logs.size(), duration_text(arm.median_seconds), spread, trend_text(arm), flagged,
      modes_text(arm));
}

std::string block_html(const View& view, const BlockSeries& series) {
  const auto& first = view.results.trials[series.arms.front().trial.value].parameters;
  const std::string setting = analysis::block_label(first, view.axes);
  const std::string name = setting.empty() ? "slices" : setting;
  std::string html;
  for (std::size_t i = 0; i < series.arms.size(); ++i) html += strip(view, series, i);
  std::string table = "<table><thead><tr>" + column_head("arm") + column_head("slices", true) +
                      column_head("median step", true) + column_head("5 to 95 %", true) +
                      column_head("last third against first", true) + column_head("disturbed", true) +
                      column_head("speeds") + "</tr></thead>\n<tbody>";
  for (const ArmSeries& arm : series.arms) table += table_row(view, arm);
  return details(name, html + scrolled("slices of " + name, table + "</tbody></table>"));
}

/// Blocks that have samples: interventions have none here.
std::vector<bool> measured_blocks(const results::Results& results) {
  std::vector<bool> measured(results.blocks.size());
  for (const auto& row : results.samples) measured[row.block.value] = true;
  return measured;
}

/// Blocks with an undecided or flagged contrast first, else in the order of the plan.
std::vector<BlockIndex> shown_blocks(const View& view, const std::vector<bool>& measured) {
  std::vector<bool> is_doubtful(view.results.blocks.size());
  for (const auto& contrast : view.contrasts.contrasts) {
    if (contrast.verdict == stats::Verdict::undecided || contrast.flags.any())
      for (const BlockIndex block : analysis::blocks_of(contrast)) is_doubtful[block.value] = true;
  }
  std::vector<BlockIndex> blocks;
  for (const bool doubtful : {true, false}) {
    for (std::uint32_t i = 0; i < is_doubtful.size() && blocks.size() < most_blocks; ++i) {
      if (is_doubtful[i] == doubtful && measured[i]) blocks.push_back(BlockIndex{i});
    }
  }
  return blocks;
}

constexpr std::string_view slices_caption =
    "<figcaption><b>Every slice of each block in the order of time</b>, one strip for each arm around its own median; "
    "up "
    "is slower. The range of a strip stands at its right; what lies outside is drawn at its edge. Small marks do not "
    "count: the pilot (shaded), and what warms up fresh processes. Ticks at the foot: disturbed slices, which do. At "
    "the right: how often each time occurred. Look for a "
    "series that rises, jumps, or has two speeds. Doubtful blocks come first.</figcaption>\n";

}  // namespace

std::string slices_figure(const View& view) {
  const auto measured = measured_blocks(view.results);
  std::string blocks;
  std::size_t points = 0;
  std::size_t shown = 0;
  for (const BlockSeries& series : analysis::slice_series(view.results, shown_blocks(view, measured))) {
    points += series.places;
    if (points > most_points) break;
    blocks += block_html(view, series);
    ++shown;
  }
  if (blocks.empty()) return {};
  const auto all = static_cast<std::size_t>(std::ranges::count(measured, true));
  return "<figure>\n" + std::string(slices_caption) + blocks +
         (shown < all ? note(fmt::format("{} more blocks are in /samples of the result file.", all - shown))
                      : std::string()) +
         "</figure>\n";
}

}  // namespace regatta::report
