#include <gtest/gtest.h>

#include <utility>

#include "analysis/ranks/ranks.hpp"

namespace regatta::analysis {
namespace {

JudgedRatio about(double ratio, double factor = 1.02) { return {ratio, ratio / factor, ratio * factor}; }

/// Four ranks with shards 8 that reach this part of what they could, beside one rank with shards 1.
RankScaling at_four(double reached, std::optional<JudgedRatio> exchange_off, std::optional<JudgedRatio> shards_cost) {
  RankScaling group;
  group.known = RanksKnown::judged;
  group.cells.resize(3);
  group.base = 0;
  group.held = 2;
  group.cells[0].shards = 1;
  group.cells[1].shards = group.cells[2].shards = 8;
  group.cells[1].against_base = shards_cost;
  group.cells[2].ranks = 4;
  group.cells[2].against_base = about(1 / (4 * reached));
  group.cells[2].exchange_off = exchange_off;
  hold_back(group);
  return group;
}

TEST(RankLosses, NameWhatHoldsMoreThanHalfOfItBack) {
  EXPECT_EQ(at_four(0.5, about(0.6), about(1.1)).held_back_by, HeldBackBy::exchange);
  EXPECT_EQ(at_four(0.5, about(0.95), about(1.6)).held_back_by, HeldBackBy::shards);
  EXPECT_EQ(at_four(0.5, about(0.97), about(1.05)).held_back_by, HeldBackBy::elsewhere);
  EXPECT_EQ(at_four(0.95, about(0.97), about(1.01)).held_back_by, HeldBackBy::little);
}

TEST(RankLosses, AreUndecidedWhereIntervalsSaySo) {
  EXPECT_EQ(at_four(0.5, about(0.68, 1.1), about(1.1)).held_back_by, HeldBackBy::unknown);
  EXPECT_EQ(at_four(0.5, JudgedRatio{0.6, {}, {}}, about(1.1)).held_back_by, HeldBackBy::unknown);
}

TEST(RankLosses, BlameNothingElseWhereAPartWasNotMeasured) {
  EXPECT_EQ(at_four(0.5, std::nullopt, about(1.05)).held_back_by, HeldBackBy::unknown);
  EXPECT_EQ(at_four(0.5, about(0.97), std::nullopt).held_back_by, HeldBackBy::unknown);
}

TEST(RankLosses, DoNotRestOnAnIntervalThatDoesNotCount) {
  RankScaling group = at_four(0.5, about(0.6), about(1.1));
  group.cells[2].interval_counts = false;
  hold_back(group);
  EXPECT_EQ(group.held_back_by, HeldBackBy::unknown);
}

}  // namespace
}  // namespace regatta::analysis
