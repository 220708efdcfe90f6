#include <algorithm>
#include <cmath>

#include "analysis/ranks/ranks.hpp"

namespace regatta::analysis {
namespace {

constexpr double hardly_any_loss = 0.9;  // an efficiency of which no less is known

/// Logarithm of a ratio of times, each end; infinite without an interval.
stats::Range log_range(const JudgedRatio& ratio) {
  if (!ratio.low || !ratio.high || !(*ratio.low > 0)) return {};
  return {std::log(*ratio.low), std::log(*ratio.high)};
}

/// The cost of the exchange, as the logarithm of a ratio.
stats::Range exchange_range(const RankCell& cell) {
  if (!cell.exchange_off || !cell.exchange_counts) return {};
  const stats::Range off = log_range(*cell.exchange_off);
  return {-off.high, -off.low};
}

/// One rank with the shards of the held cell, where that is not the base itself.
const RankCell* one_rank_as_held(const RankScaling& group) {
  const RankCell& held = group.cells[group.held];
  const auto found = std::ranges::find_if(group.cells, [&](const RankCell& cell) {
    return cell.ranks == 1 && cell.shards == held.shards && cell.against_base;
  });
  return found == group.cells.end() ? nullptr : &*found;
}

/// The cost of shards, as the logarithm of a ratio; 0 where the base has as many.
stats::Range shards_range(const RankScaling& group, const RankCell* one) {
  if (group.cells[group.held].shards == group.cells[*group.base].shards) return {0, 0};
  return one && one->interval_counts ? log_range(*one->against_base) : stats::Range{};
}

HeldBackBy most_of(const stats::Range& loss, const stats::Range& exchange, const stats::Range& shards) {
  if (!loss.finite()) return HeldBackBy::unknown;
  if (loss.high <= -std::log(hardly_any_loss)) return HeldBackBy::little;
  if (exchange.low > loss.high / 2) return HeldBackBy::exchange;
  if (shards.low > loss.high / 2) return HeldBackBy::shards;
  const double others = std::max(0.0, exchange.high) + std::max(0.0, shards.high);
  return others < loss.low / 2 ? HeldBackBy::elsewhere : HeldBackBy::unknown;
}

}  // namespace

void hold_back(RankScaling& group) {
  if (group.known != RanksKnown::judged) return;
  const RankCell& held = group.cells[group.held];
  const auto reached = efficiency(held);
  if (!reached) return;
  const RankCell* one = one_rank_as_held(group);
  if (one) group.shards_cost = one->against_base;
  stats::Range loss;
  if (reached->range.finite() && held.interval_counts)
    loss = {-std::log(reached->range.high), -std::log(reached->range.low)};
  group.held_back_by = most_of(loss, exchange_range(held), shards_range(group, one));
}

}  // namespace regatta::analysis
