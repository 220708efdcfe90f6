#include "analysis/ranks/rank_pairs.hpp"

#include <gtest/gtest.h>

#include "analysis/contrasts/contrasts.hpp"
#include "report/rank_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::add_ranks;
using testing_support::ResultsBuilder;

std::optional<RankPair> pair_of(const results::Results& results, std::uint32_t a, std::uint32_t b) {
  const Judge judge = judge_of(results);
  const Contrasts found = contrasts(judge);
  return judged_pair(rank_evidence(judge, found), TrialIndex{a}, TrialIndex{b});
}

TEST(RankPairs, TakeTheSweepsOwnComparisonWhereThereIsOne) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3}, {4, 8, 2.5e-3}});
  EXPECT_TRUE(pair_of(made.results, 1, 0).value().is_contrast);
  const RankPair own = pair_of(made.results, 2, 1).value();
  EXPECT_FALSE(own.is_contrast);
  EXPECT_NEAR(own.ratio.ratio, 0.5, 0.02);
  EXPECT_EQ(own.ratio.verdict, stats::Verdict::faster);
  EXPECT_TRUE(own.ratio.low && own.ratio.high);
}

TEST(RankPairs, AreMissingWhereTwoTookNoTurns) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3}});
  add_ranks(made, "mlp-10", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3}});
  EXPECT_FALSE(pair_of(made.results, 3, 0));
}

TEST(RankPairs, CountSamplesWhereBatchesDiffer) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {64, 128}, {{1, 8, 8e-3}, {2, 8, 8e-3}});
  const RankPair pair = pair_of(made.results, 1, 0).value();
  EXPECT_NEAR(pair.ratio.ratio, 0.5, 0.02);
  EXPECT_FALSE(pair.is_contrast);
}

TEST(RankPairs, CountSamplesWhereTheSweepComparesSteps) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {64, 128}, {{1, 8, 8e-3}, {2, 8, 8e-3}});
  made.results.provenance.sweep_json = R"({"regatta": 1, "name": "r", "measure": {"metric": "time_per_step"},
    "axes": {"model": "mlp-784", "batch": [64, 128], "ranks": [1, 2]}})";
  EXPECT_NEAR(pair_of(made.results, 1, 0).value().ratio.ratio, 0.5, 0.02);
}

TEST(RankPairs, HaveNoVerdictOnSharedCores) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, {{1, 1, 8e-3}, {2, 8, 5e-3}, {4, 8, 2.5e-3}});
  made.results.blocks[0].flags = {stats::Flag::cores_shared};
  for (const std::uint32_t b : {0U, 1U}) {
    const RankPair pair = pair_of(made.results, 2, b).value();
    EXPECT_EQ(pair.ratio.verdict, stats::Verdict::undecided);
    EXPECT_FALSE(pair.interval_counts);
  }
}

TEST(RankPairs, TakeBackWhatManyLooksWouldFind) {
  const results::Results none;
  const Judge judge = judge_of(none);
  RankPair clear;
  clear.ratio = {0.5, 0.4, 0.6, stats::Verdict::faster};
  clear.e_value = 1e6;
  RankPair chance = clear;
  chance.e_value = 1.5;
  RankPair own = chance;
  own.is_contrast = true;
  take_back_chance_finds({{&clear, &chance}, {&own}}, judge);
  EXPECT_EQ(clear.ratio.verdict, stats::Verdict::faster);
  EXPECT_EQ(chance.ratio.verdict, stats::Verdict::undecided);
  EXPECT_EQ(own.ratio.verdict, stats::Verdict::faster) << "judged among those of the sweep";
}

}  // namespace
}  // namespace regatta::analysis
