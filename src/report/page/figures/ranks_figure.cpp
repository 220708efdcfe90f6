#include <fmt/format.h>

#include <algorithm>

#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"
#include "report/findings/rank_lines.hpp"
#include "report/html_text.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using analysis::RankCell;
using analysis::RankScaling;

constexpr std::size_t most_rank_groups = 12;

std::string gain_text(const RankCell& cell, bool is_base) {
  if (is_base) return "base";
  if (!cell.against_base) return std::string(dash);
  const stats::Estimate gain = speed_up(*cell.against_base);
  std::string text = fmt::format("{:.3g}x", gain.value);
  return gain.range.finite() ? text + fmt::format(" [{:.3g}, {:.3g}]", gain.range.low, gain.range.high) : text;
}

std::string ranks_table(const RankScaling& group) {
  const bool has_off =
      std::ranges::any_of(group.cells, [](const RankCell& cell) { return cell.exchange_off.has_value(); });
  std::string html = "<table><thead><tr>" + column_head("ranks", true) + column_head("shards", true) +
                     column_head("batch", true) + column_head("step, mean", true) +
                     column_head("of it exchange", true) + column_head("times as fast [95 %]") +
                     column_head("efficiency [95 %]") + (has_off ? column_head("step without exchange [95 %]") : "") +
                     "</tr></thead>\n<tbody>";
  const auto number = [](const std::string& text) { return "<td class=\"n\">" + text + "</td>"; };
  const auto count = [&](std::int64_t value) {
    return number(value > 0 ? fmt::format("{}", value) : std::string(dash));
  };
  for (std::size_t i = 0; i < group.cells.size(); ++i) {
    const RankCell& cell = group.cells[i];
    const auto share = efficiency(cell);
    html += fmt::format("<tr><th scope=\"row\" class=\"n\">{}</th>", cell.ranks) + count(cell.shards) +
            count(cell.batch) + number(duration_text(cell.step_seconds)) + number(duration_text(cell.exposed_seconds)) +
            "<td>" + gain_text(cell, group.base == i) + "</td><td>" + (share ? share_text(*share) : std::string(dash)) +
            "</td>";
    if (has_off) {
      const auto& off = cell.exchange_off;
      html += "<td>" + (off ? removed_text(off->ratio, off->low, off->high) : std::string(dash)) + "</td>";
    }
    html += "</tr>\n";
  }
  return details(
      "The figures of this figure as a table",
      scrolled("speed-up by ranks" + (group.name.empty() ? "" : ", " + group.name), html + "</tbody></table>"));
}

std::string ranks_panel(const RankScaling& group) {
  const bool is_judged = group.known == analysis::RanksKnown::judged;
  std::string html = group.name.empty() ? "" : "<h3>" + cell(group.name) + "</h3>\n";
  html += "<p class=\"finding\">" + cell(capitalized(rank_answer(group)), check_columns) + ".</p>\n";
  if (const std::string reason = rank_reason(group); !reason.empty())
    html += "<p class=\"note\">" + cell(capitalized(reason), check_columns) + ".</p>\n";
  return html + (is_judged ? rank_gains(group) : "") + rank_times(group) + ranks_table(group);
}

constexpr std::string_view ranks_caption =
    "<figcaption><b>Speed-up against the number of ranks</b>, both axes logarithmic: samples per second, as a multiple "
    "of one rank's. Upright lines: 95 % intervals, from slices that took turns with those of one rank. Where the batch "
    "grows with the ranks, the heading says how many samples each has. Elsewhere all share one batch. <b>Bars: the "
    "mean time of a step</b>. The striped part is the exchange: from the end of the first rank's own backward pass to "
    "the sums of all ranks. It is a mean over steps and has no interval.</figcaption>\n";

}  // namespace

std::string ranks_figure(const View& view) {
  if (view.ranks.empty()) return {};
  std::string html = "<figure class=\"ranks\">\n" + std::string(ranks_caption);
  const std::size_t shown = std::min(view.ranks.size(), most_rank_groups);
  for (std::size_t i = 0; i < shown; ++i) html += ranks_panel(view.ranks[i]);
  return html + more(shown, view.ranks.size(), "groups of ranks") + "</figure>\n";
}

}  // namespace regatta::report
