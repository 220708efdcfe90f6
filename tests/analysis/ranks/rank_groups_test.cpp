#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/ranks/ranks.hpp"
#include "report/rank_results.hpp"

namespace regatta::analysis {
namespace {

using testing::ElementsAre;
using testing_support::add_ranks;
using testing_support::ranks_made;
using testing_support::ResultsBuilder;

std::vector<RankScaling> groups_of(const results::Results& results, const std::vector<Explanation>& why = {}) {
  return rank_groups(results, axes_of(results), why);
}

std::vector<std::string> names_of(const std::vector<RankScaling>& groups) {
  std::vector<std::string> names;
  for (const RankScaling& group : groups) names.push_back(group.name);
  return names;
}

TEST(RankGroups, HoldWhatDiffersInRanksAndShardsAlone) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{2, 8, 5e-3}, {1, 8, 9e-3}, {1, 1, 8e-3}});
  add_ranks(made, "conv1d-small", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3}});
  const auto groups = groups_of(made.results);
  EXPECT_THAT(names_of(groups), ElementsAre("mlp-784", "conv1d-small"));
  EXPECT_EQ(groups[0].cells.size(), 3U);
  EXPECT_EQ(groups[0].cells[0].shards, 1);  // by shards, then ranks
  EXPECT_EQ(groups[0].cells[2].ranks, 2);
}

TEST(RankGroups, AreMissingWhereNoTrialHasSeveralRanks) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 8, 9e-3}, {1, 1, 8e-3}});
  EXPECT_TRUE(groups_of(made.results).empty());
  EXPECT_TRUE(groups_of({}).empty());
}

TEST(RankGroups, HoldBatchesThatGrowWithRanks) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {64, 128}, {{1, 8, 5e-3}, {2, 8, 6e-3}});
  const auto groups = groups_of(made.results);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_FALSE(groups[0].each_ranks);  // batch 128, which only two ranks have
  EXPECT_EQ(groups[1].each_ranks, 64);
  EXPECT_EQ(groups[1].name, "64 samples a rank");
  EXPECT_EQ(groups[1].cells.size(), 2U);
}

TEST(RankGroups, LeaveOutWhatFailedOrDidOtherWork) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3}, {4, 8, 4e-3}});
  made.results.trials[1].verified = sweep::Verified::no;
  made.results.trials[2].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  EXPECT_TRUE(groups_of(made.results).empty());
}

TEST(RankGroups, TakeTheExchangeFromFactsAndInterventionsOnly) {
  const auto made = ranks_made();
  Explanation why;
  why.trial = TrialIndex{4};
  why.changes.resize(1);
  why.changes[0].intervention.kind = sweep::InterventionKind::exchange_off;
  why.changes[0].ratio = 0.4;
  why.changes[0].low = 0.3;
  why.changes[0].high = 0.5;
  const auto cells = groups_of(made.results, {why}).at(0).cells;
  EXPECT_FALSE(cells[0].exposed_seconds);
  EXPECT_DOUBLE_EQ(cells[4].exposed_seconds.value() / cells[4].step_seconds,
                   2.3e-3 / last_process_steps(made.results)[4])
      << "its part of a step of the process that told it";
  EXPECT_EQ(cells[4].exchange_off.value().low, 0.3);
  EXPECT_TRUE(cells[4].exchange_counts);
  EXPECT_FALSE(cells[3].exchange_off);
  why.changes[0].flags = {stats::Flag::drifting};
  EXPECT_FALSE(groups_of(made.results, {why}).at(0).cells[4].exchange_counts);
}

TEST(RankGroups, BelieveNoExchangeLongerThanItsStep) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3, 6e-3}});
  EXPECT_FALSE(groups_of(made.results).at(0).cells[1].exposed_seconds);
}

/// One rank has no buckets, and stands beside several whatever theirs are.
TEST(RankGroups, SetOneRankBesideEachSizeOfBuckets) {
  ResultsBuilder made;
  made.results.axis_names = {"model", "batch", "ranks", "shards", "bucket_bytes"};
  const auto trials = add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3}, {2, 8, 6e-3}});
  auto& rows = made.results.trials;
  rows[trials[1].value].parameters.set(sweep::Param::bucket_bytes, std::int64_t{0});
  rows[trials[2].value].parameters.set(sweep::Param::bucket_bytes, std::int64_t{4096});
  const auto groups = groups_of(made.results);
  ASSERT_EQ(groups.size(), 2U);
  for (const RankScaling& group : groups) {
    ASSERT_EQ(group.cells.size(), 2U);
    EXPECT_EQ(group.cells.front().ranks, 1);
  }
}

TEST(RankGroups, SetOneRankBesideEachWayToKeepAnOptimizer) {
  ResultsBuilder made;
  made.results.axis_names = {"model", "batch", "ranks", "shards", "optimizer_state"};
  const auto trials = add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3}, {2, 8, 6e-3}});
  auto& rows = made.results.trials;
  rows[trials[1].value].parameters.set(sweep::Param::optimizer_state, std::string("replicated"));
  rows[trials[2].value].parameters.set(sweep::Param::optimizer_state, std::string("sharded"));
  const auto groups = groups_of(made.results);
  ASSERT_EQ(groups.size(), 2U);
  for (const RankScaling& group : groups) EXPECT_EQ(group.cells.size(), 2U);
}

/// One rank with one shard normalizes by the whole batch whatever the level is; cut into shards it has its own group.
TEST(RankGroups, SetOneRankBesideBatchStatisticsOfItsLevel) {
  ResultsBuilder made;
  made.results.axis_names = {"model", "batch", "ranks", "shards", "batch_statistics"};
  const auto trials =
      add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {1, 8, 9e-3}, {1, 8, 9.5e-3}, {2, 8, 5e-3}, {2, 8, 6e-3}});
  const auto level = [&](std::size_t trial, const char* text) {
    made.results.trials[trials[trial].value].parameters.set(sweep::Param::batch_statistics, std::string(text));
  };
  level(1, "shard");
  level(2, "batch");
  level(3, "shard");
  level(4, "batch");
  const auto groups = groups_of(made.results);
  ASSERT_EQ(groups.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(groups[i].cells.size(), 3U);
    EXPECT_EQ(groups[i].cells[0].trial, trials[0]);
    EXPECT_EQ(groups[i].cells[1].trial, trials[1 + i]);
    EXPECT_EQ(groups[i].cells[2].trial, trials[3 + i]);
  }
}

}  // namespace
}  // namespace regatta::analysis
