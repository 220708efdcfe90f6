#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "regatta/report/wording.hpp"
#include "report/page/figures/figure_rows.hpp"
#include "report/page/figures/figures.hpp"
#include "report/page/figures/plot.hpp"

namespace regatta::report {
namespace {

using analysis::RankCell;
using analysis::RankScaling;

std::string cell_name(const RankCell& cell) {
  std::string name = fmt::format("{} rank{}", cell.ranks, cell.ranks == 1 ? "" : "s");
  return cell.shards > 0 ? name + fmt::format(", shards {}", cell.shards) : name;
}

/// Percent of the drawing.
double time_percent(double seconds, double longest) { return std::clamp(96 * seconds / longest, 0.0, 100.0); }

std::string time_bar(std::string_view style, double from, double to) {
  return fmt::format(R"(<line class="{0}" x1="{1}" x2="{2}" y1="{3}" y2="{3}"/>)", style, percent_text(from),
                     percent_text(to), row_middle);
}

/// The time of a step of this cell if the base's samples were shared and nothing else cost anything.
std::optional<double> ideal_seconds(const RankScaling& group, const RankCell& cell) {
  if (!group.base) return std::nullopt;
  const RankCell& base = group.cells[*group.base];
  return group.each_ranks ? base.step_seconds : base.step_seconds / static_cast<double>(cell.ranks);
}

std::string times_row(const RankScaling& group, const RankCell& cell, double longest) {
  const double end = time_percent(cell.step_seconds, longest);
  std::string value = "<b>" + duration_text(cell.step_seconds) + "</b>";
  std::string svg;
  if (cell.ranks == 1) {
    svg = time_bar("rung", 0, end);
  } else if (!cell.exposed_seconds) {
    svg = time_bar("rung untold", 0, end);
    value += " exchange not told";
  } else {
    const double own = time_percent(cell.step_seconds - *cell.exposed_seconds, longest);
    svg = time_bar("rung", 0, own) + time_bar("exposed", own, end);
    value += fmt::format(" exchange {} ({:.2g} %)", duration_text(*cell.exposed_seconds),
                         100 * *cell.exposed_seconds / cell.step_seconds);
  }
  if (const auto best = ideal_seconds(group, cell); best && cell.ranks > 1) {
    const std::string x = percent_text(time_percent(*best, longest));
    svg += fmt::format(R"(<line class="one" x1="{0}" x2="{0}" y1="2" y2="24"/>)", x);
  }
  return figure_row(cell_name(cell), svg, value);
}

std::string times_legend(const RankScaling& group) {
  const auto any = [&](auto has) { return std::ranges::any_of(group.cells, has); };
  const auto sign = [](std::string_view style) {
    return fmt::format(R"(<line class="{}" x1="0" x2="16" y1="6" y2="6"/>)", style);
  };
  std::string html =
      "<p class=\"legend\">" + legend_entry(sign("rung"), "a step without the exchange that it waits for");
  if (any([](const RankCell& cell) { return cell.exposed_seconds.has_value(); }))
    html += legend_entry(sign("exposed"), "exchange and waiting that backward does not hide");
  if (any([](const RankCell& cell) { return cell.ranks > 1 && !cell.exposed_seconds; }))
    html += legend_entry(sign("rung untold"), "a step, exchange not told");
  if (group.base)
    html += legend_entry(R"(<line class="one" x1="8" x2="8" y1="0" y2="12"/>)",
                         group.each_ranks ? "the time of the base" : "the time of the base, divided by the ranks");
  return html + "</p>\n";
}

}  // namespace

std::string rank_times(const RankScaling& group) {
  double longest = 0;
  for (const RankCell& cell : group.cells) longest = std::max(longest, cell.step_seconds);
  std::string rows;
  for (const RankCell& cell : group.cells) rows += times_row(group, cell, longest);
  return times_legend(group) +
         figure_rows("mean time of a step by ranks" + (group.name.empty() ? "" : ", " + group.name), rows);
}

}  // namespace regatta::report
