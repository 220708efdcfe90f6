#include "report/findings/rank_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/report/wording.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::HeldBackBy;
using analysis::RankCell;
using analysis::RankScaling;
using analysis::RanksKnown;

constexpr std::size_t groups_named = 4;

std::string percent(double share) { return fmt::format("{:.{}f}", 100 * share, 100 * share < 9.95 ? 1 : 0); }

/// "one rank", "one rank with shards 8".
std::string base_text(const RankScaling& group) {
  const std::int64_t shards = group.cells[*group.base].shards;
  return "one rank" + (shards > 0 ? fmt::format(" with shards {}", shards) : "");
}

/// A warning where shards 1 was not measured: efficiencies are then against less than the best of one rank.
std::string weak_base(const RankScaling& group) {
  const auto is_whole = [](const RankCell& cell) { return cell.ranks == 1 && cell.shards <= 1; };
  if (std::ranges::any_of(group.cells, is_whole)) return {};
  return " (one rank with shards 1 was not measured here, and may be faster)";
}

std::string efficiency_text(const RankCell& cell) {
  const auto share = efficiency(cell);
  return share ? ", efficiency " + share_text(*share) : "";
}

std::string ranks_text(const RankCell& cell) { return fmt::format("{} ranks", cell.ranks); }

/// The next number of ranks after those that pay.
std::string next_text(const RankScaling& group) {
  const RankCell& next = group.cells[group.next->cell];
  const RankCell& best = group.cells[group.pays_to];
  return fmt::format("; {} against {}: {}{}", ranks_text(next), best.ranks, ratio_text(group.next->ratio),
                     efficiency_text(next));
}

/// "without the exchange its step changes by -31 % [-34, -28]", and what its own clock says of the exchange.
std::string exchange_text(const RankCell& held) {
  std::string text;
  if (const auto& off = held.exchange_off) {
    text = "without the exchange its step changes by " + removed_text(off->ratio, off->low, off->high);
    if (off->verdict == stats::Verdict::undecided) text += ", not known yet";
    if (off->verdict == stats::Verdict::same) text += ", same";
  }
  if (held.exposed_seconds) {
    text += fmt::format(
        "{}{} % of its step is exchange (waiting for other ranks included) that its own backward pass does not hide",
        text.empty() ? "" : "; ", percent(*held.exposed_seconds / held.step_seconds));
  }
  if (!held.slowest_rank.empty() && held.spread_seconds) {
    text += fmt::format("{}mostly the last one: rank {}, {} behind the first at the end of a step",
                        text.empty() ? "" : "; ", held.slowest_rank, duration_text(held.spread_seconds));
  }
  return text;
}

std::string shards_text(const RankScaling& group) {
  if (!group.shards_cost) return {};
  return fmt::format("; shards {} on one rank: {}", group.cells[group.held].shards, ratio_text(*group.shards_cost));
}

std::string held_back_words(HeldBackBy by) {
  switch (by) {
    case HeldBackBy::little:
      return "hardly anything is lost";
    case HeldBackBy::exchange:
      return "held back by the exchange, most of all";
    case HeldBackBy::shards:
      return "held back by being cut into shards, most of all";
    case HeldBackBy::elsewhere:
      return "held back neither by the exchange nor by shards, but by what ranks do to one another: memory, caches, "
             "waiting for the slowest";
    case HeldBackBy::unknown:
      break;
  }
  return "the largest obstacle is not known";
}

/// "pays up to 4 ranks: ...", "does not pay: ...", "not known yet whether it pays: ...".
std::string judged_answer(const RankScaling& group) {
  const RankCell& best = group.cells[group.pays_to];
  const std::string per = group.each_ranks ? " per sample" : "";
  if (best.ranks > 1) {
    const bool is_most =
        !group.next && std::ranges::all_of(group.cells, [&](const RankCell& cell) { return cell.ranks <= best.ranks; });
    const std::string behind = fmt::format("{} than {}", per, base_text(group));
    return fmt::format("pays up to {}{}: {}{}{}{}", ranks_text(best), is_most ? ", the most measured" : "",
                       ratio_text(*best.against_base, behind), efficiency_text(best), weak_base(group),
                       group.next ? next_text(group) : "");
  }
  const analysis::JudgedRatio& ratio = group.next->ratio;
  const bool is_known = ratio.verdict != stats::Verdict::undecided;
  const RankCell& next = group.cells[group.next->cell];
  return fmt::format("{}: {} against {}{}: {}{}{}", is_known ? "does not pay" : "not known yet whether it pays",
                     ranks_text(next), base_text(group), per, ratio_text(ratio), efficiency_text(next),
                     weak_base(group));
}

std::string with_name(const RankScaling& group, const std::string& text) {
  return group.name.empty() ? text : group.name + ": " + text;
}

/// "mlp-784, conv1d-small and 3 more: not known whether more ranks pay: ..."; empty without such groups.
std::string unknown_of(const View& view, RanksKnown known) {
  std::vector<const RankScaling*> groups;
  for (const RankScaling& group : view.ranks) {
    if (group.known == known) groups.push_back(&group);
  }
  if (groups.empty()) return {};
  std::string names;
  const std::size_t shown = std::min(groups.size(), groups_named);
  for (std::size_t i = 0; i < shown && !groups[i]->name.empty(); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", groups[i]->name);
  if (groups.size() > shown) names += fmt::format(" and {} more", groups.size() - shown);
  return (names.empty() ? "" : names + ": ") + rank_answer(*groups.front());
}

}  // namespace

std::string share_text(const stats::Estimate& share) {
  std::string text = percent(share.value) + " %";
  if (share.range.finite()) text += fmt::format(" [{}, {}]", percent(share.range.low), percent(share.range.high));
  return text;
}

std::string rank_answer(const RankScaling& group) {
  switch (group.known) {
    case RanksKnown::judged:
      return judged_answer(group);
    case RanksKnown::no_base:
      return "not known whether more ranks pay: no trial of one rank finished here";
    case RanksKnown::no_turns:
      break;
  }
  return "not known whether more ranks pay: one rank and several were not measured in turns. Add \"compare\": "
         "{\"over\": [\"ranks\"], ...}. If the sweep has it, its open comparisons say why";
}

std::string rank_reason(const RankScaling& group) {
  const RankCell& held = group.cells[group.held];
  std::string figures = exchange_text(held) + shards_text(group);
  if (figures.starts_with("; ")) figures.erase(0, 2);
  const std::string at = fmt::format("at {}: ", ranks_text(held));
  if (group.known != RanksKnown::judged) return figures.empty() ? "" : at + figures;
  const bool may_tell = held.shards > 0 && !held.exchange_off && group.held_back_by == HeldBackBy::unknown;
  return at + held_back_words(group.held_back_by) + (figures.empty() ? "" : " (" + figures + ")") +
         (may_tell ? "; \"explain\": true under \"measure\" tries it without the exchange" : "");
}

std::vector<std::string> rank_answers(const View& view) {
  std::vector<std::string> lines;
  for (const RankScaling& group : view.ranks) {
    if (group.known == RanksKnown::judged) lines.push_back(with_name(group, rank_answer(group)));
  }
  return lines;
}

std::vector<std::string> unknown_rank_answers(const View& view) {
  std::vector<std::string> lines;
  for (const RanksKnown known : {RanksKnown::no_turns, RanksKnown::no_base}) {
    if (std::string line = unknown_of(view, known); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> rank_reasons(const View& view) {
  std::vector<std::string> lines;
  for (const RankScaling& group : view.ranks) {
    if (const std::string reason = rank_reason(group); !reason.empty()) lines.push_back(with_name(group, reason));
  }
  return lines;
}

std::string capitalized(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  return text;
}

}  // namespace regatta::report
