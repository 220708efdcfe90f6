#include "regatta/analysis/contrasts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;
using testing_support::arm;
using testing_support::ResultsBuilder;
using testing_support::sample_results;

/// Two arms, baseline first, in one block.
struct Pair {
  ResultsBuilder made;
  TrialIndex baseline = made.trial(arm("native", "graph", 1));
  TrialIndex other = made.trial(arm("native", "eager", 1));
  BlockIndex block = made.block({baseline, other});
};

TEST(Contrasts, PairsSlicesByRound) {
  // Both arms drift by a factor of four, the ratio stays 2, 2, 2: an unpaired interval would be wide.
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, {1, 2, 4});
  pair.made.slices(pair.block, pair.other, {2, 4, 8});
  const auto found = contrasts(pair.made.results).contrasts;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].a, pair.other);
  EXPECT_EQ(found[0].b, pair.baseline);
  EXPECT_EQ(found[0].rounds, 3);
  EXPECT_DOUBLE_EQ(found[0].ratio, 2);
  EXPECT_NEAR(*found[0].low, 2, 1e-12);
  EXPECT_NEAR(*found[0].high, 2, 1e-12);
}

TEST(Contrasts, IntervalIsStudentsTOnLogRatios) {
  // Log2 ratios 1, 2, 3: mean 2, standard deviation 1, t(0.975; 2) = 4.3026527, half width 4.3026527 / sqrt(3).
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, {1, 1, 1});
  pair.made.slices(pair.block, pair.other, {2, 4, 8});
  const auto found = contrasts(pair.made.results).contrasts.at(0);
  EXPECT_DOUBLE_EQ(found.ratio, 4);
  EXPECT_NEAR(*found.low, std::exp2(2 - 4.3026527 / std::sqrt(3)), 1e-6);
  EXPECT_NEAR(*found.high, std::exp2(2 + 4.3026527 / std::sqrt(3)), 1e-6);
}

TEST(Contrasts, HasNoIntervalBelowThreeRounds) {
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, {1, 1});
  pair.made.slices(pair.block, pair.other, {2, 4});
  const auto found = contrasts(pair.made.results).contrasts.at(0);
  EXPECT_EQ(found.rounds, 2);
  EXPECT_FALSE(found.low);
  EXPECT_FALSE(found.high);
  EXPECT_EQ(found.text, "eager takes 2.83x the time of graph (2 rounds)");
}

TEST(Contrasts, CountStallsInsideASlice) {
  // A slice is elapsed over steps: one sample of 10 steps at 1 s a step, one at 3 s, is 2 s a step, not a median.
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, {1});
  pair.made.sample(pair.block, pair.other, stats::Phase::steady, 10);
  pair.made.sample(pair.block, pair.other, stats::Phase::steady, 30);
  EXPECT_DOUBLE_EQ(contrasts(pair.made.results).contrasts.at(0).ratio, 2);
}

TEST(Contrasts, OfDifferentBatchesArePerSample) {
  ResultsBuilder made;
  const auto baseline = made.trial(arm("native", "graph", 1));
  const auto other = made.trial(arm("native", "graph", 32));
  const auto block = made.block({baseline, other});
  made.slices(block, baseline, {1, 1, 1});
  made.slices(block, other, {16, 16, 16});
  const auto found = contrasts(made.results).contrasts.at(0);
  EXPECT_TRUE(found.per_sample);
  EXPECT_DOUBLE_EQ(found.ratio, 0.5);
  EXPECT_EQ(found.text, "batch 32 takes 0.50x the time per sample of batch 1 [0.50, 0.50] (3 rounds)");
}

TEST(Contrasts, SameTrialInTwoBlocksKeepsThemApart) {
  // The baseline is measured again in the second block, where everything runs at half the speed.
  ResultsBuilder made;
  const auto baseline = made.trial(arm("native", "graph", 1));
  const auto eager = made.trial(arm("native", "eager", 1));
  const auto numpy = made.trial(arm("numpy", nullptr, 1));
  const auto first = made.block({baseline, eager});
  const auto second = made.block({baseline, numpy});
  made.slices(first, baseline, {1, 1, 1});
  made.slices(first, eager, {2, 2, 2});
  made.slices(second, baseline, {2, 2, 2});
  made.slices(second, numpy, {20, 20, 20});
  const auto found = contrasts(made.results).contrasts;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_DOUBLE_EQ(found[0].ratio, 2);
  EXPECT_DOUBLE_EQ(found[1].ratio, 10);
}

TEST(Contrasts, CarryTheFlagsOfBlockDeviceAndSamples) {
  Pair pair;
  pair.made.slices(pair.block, pair.baseline, {1, 1, 1});
  pair.made.slices(pair.block, pair.other, {2, 2, 2});
  pair.made.results.devices = {{0, "cpu", "cores 0-1", "neighbours,cores_shared"}};
  pair.made.results.trials[pair.other.value].device = 0;
  pair.made.results.blocks[0].flags = "reprepared,neighbours";
  pair.made.results.samples.back().sample.flags = 1;
  EXPECT_THAT(contrasts(pair.made.results).contrasts.at(0).flags,
              testing::ElementsAre("reprepared", "neighbours", "cores_shared", "disturbed"));
}

TEST(Contrasts, OfTheSampleReadAsSentences) {
  const auto found = contrasts(sample_results());
  ASSERT_EQ(found.contrasts.size(), 3U);
  EXPECT_EQ(found.contrasts[0].text,
            "native eager takes 2.00x the time of native graph at batch 1 [1.96, 2.04] (7 rounds)");
  EXPECT_EQ(found.contrasts[1].text, "numpy takes 30.0x the time of native graph at batch 1 [29.3, 30.7] (7 rounds)");
  for (const auto& contrast : found.contrasts) EXPECT_EQ(contrast.verdict, "");
}

}  // namespace
}  // namespace regatta::analysis
