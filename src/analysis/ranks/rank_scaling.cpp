#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/judging/judging.hpp"
#include "analysis/ranks/rank_pairs.hpp"
#include "analysis/ranks/ranks.hpp"

namespace regatta::analysis {
namespace {

/// A group with what its cells were judged by; pairs by places of cells, the slower candidate's second.
struct Climb {
  RankScaling group;
  std::map<std::pair<std::size_t, std::size_t>, RankPair> pairs;
};

bool is_shown_faster(const JudgedRatio& ratio) { return ratio.verdict == stats::Verdict::faster; }

const RankPair* judge_once(Climb& climb, const RankEvidence& evidence, std::size_t a, std::size_t b) {
  const auto known = climb.pairs.find({a, b});
  if (known != climb.pairs.end()) return &known->second;
  const auto& cells = climb.group.cells;
  const auto pair = judged_pair(evidence, cells[a].trial, cells[b].trial);
  return pair ? &climb.pairs.emplace(std::pair(a, b), *pair).first->second : nullptr;
}

/// One rank with one shard, or with none to cut; of others the fastest, and what was shown to be faster than that.
void choose_base(Climb& climb, const RankEvidence& evidence) {
  const auto& cells = climb.group.cells;
  std::vector<std::size_t> ones;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].ranks == 1) ones.push_back(i);
  }
  if (ones.empty()) return;
  std::size_t first = ones.front();
  if (cells[first].shards > 1)
    first = *std::ranges::min_element(ones, {}, [&](auto i) { return cells[i].step_seconds; });
  climb.group.base = first;
  double least = 1;
  for (const std::size_t one : ones) {
    if (one == first) continue;
    const RankPair* pair = judge_once(climb, evidence, one, first);
    if (pair == nullptr || !(pair->ratio.ratio < least) || !is_shown_faster(pair->ratio)) continue;
    least = pair->ratio.ratio;
    climb.group.base = one;
  }
}

/// For each number of ranks the cell with the least time of a sample, the base first.
std::vector<std::size_t> ladder_of(const Climb& climb) {
  const RankScaling& group = climb.group;
  std::map<std::int64_t, std::size_t> best;
  for (std::size_t i = 0; i < group.cells.size(); ++i) {
    const RankCell& cell = group.cells[i];
    if (cell.ranks == 1 || !cell.against_base) continue;
    const auto [entry, is_new] = best.try_emplace(cell.ranks, i);
    if (!is_new && cell.against_base->ratio < group.cells[entry->second].against_base->ratio) entry->second = i;
  }
  std::vector<std::size_t> ladder = {*group.base};
  for (const auto& [ranks, cell] : best) ladder.push_back(cell);
  return ladder;
}

/// Copies what is known against the base into the cells.
void tell_cells(Climb& climb) {
  for (const auto& [places, pair] : climb.pairs) {
    if (places.second != climb.group.base) continue;
    climb.group.cells[places.first].against_base = pair.ratio;
    climb.group.cells[places.first].interval_counts = pair.interval_counts;
  }
}

/// Every pair that a conclusion may rest on.
void judge_pairs(Climb& climb, const RankEvidence& evidence) {
  choose_base(climb, evidence);
  if (!climb.group.base) return;
  for (std::size_t i = 0; i < climb.group.cells.size(); ++i) {
    if (i != *climb.group.base) judge_once(climb, evidence, i, *climb.group.base);
  }
  tell_cells(climb);
  const auto ladder = ladder_of(climb);
  for (std::size_t i = 2; i < ladder.size(); ++i) {
    for (std::size_t j = 1; j < i; ++j) judge_once(climb, evidence, ladder[i], ladder[j]);
  }
}

/// Batches that grow with ranks: each by itself has no one rank, which is no finding.
void drop_parts(std::vector<RankScaling>& found) {
  std::set<TrialIndex> judged;
  for (const RankScaling& group : found) {
    if (group.known != RanksKnown::judged) continue;
    for (const RankCell& cell : group.cells) judged.insert(cell.trial);
  }
  std::erase_if(found, [&](const RankScaling& group) {
    return group.known != RanksKnown::judged &&
           std::ranges::all_of(group.cells, [&](const RankCell& cell) { return judged.contains(cell.trial); });
  });
}

bool is_judged(const RankScaling& group) {
  return std::ranges::any_of(group.cells,
                             [](const RankCell& cell) { return cell.ranks > 1 && cell.against_base.has_value(); });
}

/// Up to where more ranks were shown to be faster than the most that were before.
void climb_up(Climb& climb) {
  RankScaling& group = climb.group;
  const auto most = std::ranges::max_element(group.cells, {}, &RankCell::ranks);
  group.held = static_cast<std::size_t>(most - group.cells.begin());
  if (!group.base) return;
  group.known = is_judged(group) ? RanksKnown::judged : RanksKnown::no_turns;
  if (group.known != RanksKnown::judged) return;
  const auto ladder = ladder_of(climb);
  group.pays_to = ladder.front();
  group.held = ladder.back();
  for (std::size_t i = 1; i < ladder.size(); ++i) {
    const auto pair = climb.pairs.find({ladder[i], group.pays_to});
    if (pair == climb.pairs.end()) continue;
    if (is_shown_faster(pair->second.ratio)) {
      group.pays_to = ladder[i];
      group.next.reset();
    } else if (!group.next) {
      group.next = RankScaling::Next{ladder[i], pair->second.ratio};
    }
  }
  if (group.next) group.held = group.next->cell;
}

}  // namespace

stats::Estimate speed_up(const JudgedRatio& ratio) {
  stats::Estimate gain{1 / ratio.ratio, {}};
  if (ratio.low && ratio.high && *ratio.low > 0) gain.range = {1 / *ratio.high, 1 / *ratio.low};
  return gain;
}

std::optional<stats::Estimate> efficiency(const RankCell& cell) {
  if (!cell.against_base) return std::nullopt;
  stats::Estimate share = speed_up(*cell.against_base);
  const auto ranks = static_cast<double>(cell.ranks);
  return stats::Estimate{share.value / ranks, {share.range.low / ranks, share.range.high / ranks}};
}

std::vector<RankScaling> rank_scalings(const Judge& judge, const Contrasts& contrasts,
                                       const std::vector<Explanation>& explanations) {
  if (!sweep::is_step_time(judge.metric())) return {};
  std::vector<Climb> climbs;
  for (RankScaling& group : rank_groups(judge.results, judge.axes, explanations))
    climbs.push_back({std::move(group), {}});
  if (climbs.empty()) return {};
  const RankEvidence evidence = rank_evidence(judge, contrasts);
  std::vector<std::vector<RankPair*>> families;
  for (Climb& climb : climbs) {
    judge_pairs(climb, evidence);
    auto& family = families.emplace_back();
    for (auto& [places, pair] : climb.pairs) family.push_back(&pair);
  }
  take_back_chance_finds(families, judge);
  std::vector<RankScaling> found;
  for (Climb& climb : climbs) {
    if (climb.group.each_ranks && !is_judged(climb.group)) continue;  // batches that nobody compared
    tell_cells(climb);
    climb_up(climb);
    hold_back(climb.group);
    found.push_back(std::move(climb.group));
  }
  drop_parts(found);
  return found;
}

}  // namespace regatta::analysis
