#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/ranks/ranks.hpp"
#include "regatta/analysis/findings.hpp"
#include "report/rank_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::add_ranks;
using testing_support::ranked;
using testing_support::ranks_made;
using testing_support::ResultsBuilder;

std::vector<RankScaling> ranks_of(const results::Results& results) { return findings_of(results).ranks; }

TEST(RankScaling, PaysUpToWhereMoreRanksAreNoFaster) {
  const RankScaling group = ranks_of(ranks_made().results)[0];
  EXPECT_EQ(group.known, RanksKnown::judged);
  EXPECT_EQ(group.cells[group.pays_to].ranks, 4);
  ASSERT_TRUE(group.next);
  EXPECT_EQ(group.cells[group.next->cell].ranks, 8);
  EXPECT_EQ(group.next->ratio.verdict, stats::Verdict::slower);
  EXPECT_EQ(group.cells[group.held].ranks, 8);
}

TEST(RankScaling, PaysUpToTheMostWhereNothingStopsIt) {
  const RankScaling group = ranks_of(ranks_made().results)[1];
  EXPECT_EQ(group.cells[group.pays_to].ranks, 8);
  EXPECT_FALSE(group.next);
  EXPECT_EQ(group.cells[group.held].ranks, 8);
}

TEST(RankScaling, PaysWhereManyDoThoughFewDoNot) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 9e-3}, {4, 8, 3e-3}});
  const RankScaling group = ranks_of(made.results).at(0);
  EXPECT_EQ(group.cells[group.pays_to].ranks, 4);
  EXPECT_FALSE(group.next);
}

TEST(RankScaling, ComparesWithOneRankAndOneShardThoughTheBlockHasAnotherBaseline) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 8, 9e-3}, {1, 1, 8e-3}, {2, 8, 5e-3}});
  const RankScaling group = ranks_of(made.results).at(0);
  ASSERT_TRUE(group.base);
  EXPECT_EQ(group.cells[*group.base].shards, 1);
  EXPECT_NEAR(speed_up(*group.cells.back().against_base).value, 1.6, 0.05);
}

TEST(RankScaling, ComparesWithMoreShardsWhereTheseWereShownToBeFaster) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 1, 9e-3}, {1, 8, 8e-3}, {2, 8, 5e-3}});
  const RankScaling group = ranks_of(made.results).at(0);
  EXPECT_EQ(group.cells[group.base.value()].shards, 8);
}

TEST(RankScaling, KeepsOneShardAsBaseWhereAFasterOneIsNotDecided) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {1, 8, 7.95e-3}, {2, 8, 5e-3}});
  const RankScaling group = ranks_of(made.results).at(0);
  EXPECT_EQ(group.cells[group.base.value()].shards, 1);
}

TEST(RankScaling, EfficiencyIsWhatRanksCouldGain) {
  RankCell cell;
  EXPECT_FALSE(efficiency(cell));
  cell.ranks = 4;
  cell.against_base = JudgedRatio{0.5, 0.4, 0.625};
  EXPECT_EQ(efficiency(cell)->value, 0.5);
  EXPECT_EQ(efficiency(cell)->range, (stats::Range{0.4, 0.625}));
  cell.against_base = JudgedRatio{0.5, {}, {}};
  EXPECT_FALSE(efficiency(cell)->range.finite());
}

TEST(RankScaling, GrowingBatchesAreComparedBySample) {
  const auto groups = ranks_of(ranks_made().results);
  ASSERT_EQ(groups.size(), 3U);  // batch 128 of two ranks is no group of its own
  const RankScaling& group = groups.back();
  EXPECT_EQ(group.each_ranks, 64);
  EXPECT_NEAR(efficiency(group.cells.back())->value, 10.2 / 11.5, 0.02);
}

TEST(RankScaling, SaysNothingOfBatchesThatNobodyCompared) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {64}, {{1, 1, 8e-3}, {2, 8, 5e-3}});
  add_ranks(made, "mlp-784", {128}, {{1, 1, 16e-3}, {2, 8, 9e-3}});
  for (const RankScaling& group : ranks_of(made.results)) EXPECT_FALSE(group.each_ranks);
}

TEST(RankScaling, KnowsNothingWithoutOneRankOrWithoutTurns) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {64}, {{2, 8, 8e-3}, {4, 8, 5e-3}});
  made.metrics(made.trial(ranked("mlp-10", 64, {1, 8, 0})), 8e-3, 64);
  made.metrics(made.trial(ranked("mlp-10", 64, {2, 8, 0})), 5e-3, 64);
  const auto groups = ranks_of(made.results);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].known, RanksKnown::no_base);
  EXPECT_EQ(groups[1].known, RanksKnown::no_turns);
}

}  // namespace
}  // namespace regatta::analysis
