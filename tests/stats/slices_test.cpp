#include "regatta/stats/slices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::stats {
namespace {

using Order = std::vector<std::uint32_t>;

TEST(RoundOrder, OfTwoArmsIsAbbaOrBaab) {
  std::set<Order> first_orders;
  for (std::uint64_t round = 0; round < 64; round += 2) {
    const Order first = round_order(2, round, 7);
    Order mirrored = first;
    std::reverse(mirrored.begin(), mirrored.end());
    EXPECT_EQ(round_order(2, round + 1, 7), mirrored);
    first_orders.insert(first);
  }
  EXPECT_EQ(first_orders.size(), 2U) << "the coin never fell on one of its sides";
}

TEST(RoundOrder, IsAPermutationAndDependsOnlyOnItsArguments) {
  for (std::size_t arms = 1; arms <= 7; ++arms) {
    Order sorted = round_order(arms, 5, 11);
    EXPECT_EQ(sorted, round_order(arms, 5, 11));
    std::sort(sorted.begin(), sorted.end());
    Order identity(arms);
    std::iota(identity.begin(), identity.end(), 0U);
    EXPECT_EQ(sorted, identity);
  }
}

TEST(RoundOrder, ChangesWithTheSeed) {
  std::set<Order> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) orders.insert(round_order(6, 0, seed));
  EXPECT_GT(orders.size(), 20U);
}

class Squares : public testing::TestWithParam<std::size_t> {};

TEST_P(Squares, AreARoundAndItsMirrorImage) {
  const std::size_t arms = GetParam();
  for (std::uint64_t square = 0; square < 3 * arms; ++square) {
    Order mirrored = round_order(arms, 2 * square + 1, 3);
    std::reverse(mirrored.begin(), mirrored.end());
    EXPECT_EQ(round_order(arms, 2 * square, 3), mirrored);
  }
}

TEST_P(Squares, OfAWilliamsSquareHaveEveryArmAtEveryPositionEquallyOften) {
  const std::size_t arms = GetParam();
  for (std::uint64_t first = 0; first < 3; ++first) {
    std::map<std::pair<std::uint32_t, std::size_t>, int> seen;
    for (std::uint64_t round = 2 * first * arms; round < 2 * (first + 1) * arms; ++round) {
      const Order order = round_order(arms, round, 3);
      for (std::size_t position = 0; position < arms; ++position) ++seen[{order[position], position}];
    }
    EXPECT_EQ(seen.size(), arms * arms);
    for (const auto& [where, times] : seen) EXPECT_EQ(times, 2) << where.first << " at " << where.second;
  }
}

TEST_P(Squares, OfAWilliamsSquareHaveEveryOrderedPairOfNeighboursEquallyOften) {
  const std::size_t arms = GetParam();
  for (std::uint64_t first = 0; first < 3; ++first) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> seen;
    for (std::uint64_t round = 2 * first * arms; round < 2 * (first + 1) * arms; ++round) {
      const Order order = round_order(arms, round, 3);
      for (std::size_t i = 1; i < arms; ++i) ++seen[{order[i - 1], order[i]}];
    }
    EXPECT_EQ(seen.size(), arms * (arms - 1));
    for (const auto& [pair, times] : seen) EXPECT_EQ(times, 2U) << pair.first << " then " << pair.second;
  }
}

INSTANTIATE_TEST_SUITE_P(Arms, Squares, testing::Values(2, 3, 4, 5, 6, 7));

TEST(PlanSlices, AimsAtTwelveMilliseconds) {
  const auto plan = plan_slices({100e-6, 1e-3}, {5});
  EXPECT_EQ(plan.arms[0].steps, 120);
  EXPECT_EQ(plan.arms[1].steps, 12);
}

TEST(PlanSlices, GroupsShortStepsIntoSamples) {
  const auto arm = plan_slices({1.5e-6}, {5}).arms[0];
  EXPECT_EQ(arm.group, 16);  // 24 us: 500 samples of a slice of 12 ms
  EXPECT_EQ(arm.steps % arm.group, 0);
  EXPECT_GE(static_cast<double>(arm.steps) * 1.5e-6, rules::slice_seconds);
  EXPECT_LE(arm.steps / arm.group, rules::slice_samples);
  EXPECT_EQ(plan_slices({50e-6}, {5}).arms[0].group, 1);
  EXPECT_EQ(plan_slices({1.5e-6}, {5}, {.rounds = {}, .steps = 100}).arms[0].group, 14);  // 21 us
}

TEST(PlanSlices, RunsReentryStepsByLengthOfStep) {
  EXPECT_EQ(plan_slices({10e-6}, {5}).arms[0].reentry_steps, 1000);  // 10 ms
  EXPECT_EQ(plan_slices({4e-3}, {5}).arms[0].reentry_steps, 5);
  EXPECT_EQ(plan_slices({11e-3}, {5}).arms[0].reentry_steps, 1);
  EXPECT_EQ(plan_slices({1.0}, {5}).arms[0].reentry_steps, 0);
}

TEST(PlanSlices, StampsReentriesInFewSamples) {
  for (const double step : {1e-9, 1e-6, 100e-6, 5e-3, 0.5}) {
    for (const auto& fixed : {FixedSlices{}, FixedSlices{.rounds = {}, .steps = 3}}) {
      const auto arm = plan_slices({step}, {5}, fixed).arms[0];
      EXPECT_LE(arm.reentry_steps, arm.reentry_group * rules::reentry_samples) << step;
    }
  }
  EXPECT_EQ(plan_slices({10e-6}, {5}, {.rounds = {}, .steps = 3}).arms[0].reentry_group, 63);  // 1000 / 16
}

TEST(PlanSlices, KeepsTheLargestBlockBelowSixteenMebibytes) {
  for (const double step : {1e-9, 1e-6, 19e-6, 21e-6, 1e-3}) {
    for (const auto& fixed : {FixedSlices{}, FixedSlices{.rounds = {}, .steps = 1'000'003}}) {
      const auto plan = plan_slices(std::vector<double>(6, step), {1e9}, fixed);
      const auto& arm = plan.arms[0];
      const auto samples = (arm.steps + arm.group - 1) / arm.group + rules::reentry_samples;
      EXPECT_LE(samples * 6 * plan.rounds, 200'000) << step;
    }
  }
}

TEST(Lengthened, TakesLongerSlicesInFewerRounds) {
  const auto plan = lengthened(plan_slices({1e-4, 1e-6}, {1e9}), 4);
  EXPECT_EQ(plan.arms[0].steps, 480);
  EXPECT_EQ(plan.arms[0].group, 1);
  EXPECT_EQ(plan.arms[1].steps / plan.arms[1].group, rules::slice_samples);
  EXPECT_EQ(plan.rounds, 16);
  EXPECT_EQ(lengthened(plan, 3).rounds, 4) << "complete squares";
  EXPECT_EQ(lengthened(plan, 100).rounds, fewest_rounds);
  EXPECT_THROW(lengthened(plan, 0.5), InternalError);
}

TEST(PlanSlices, LongStepsMakeSlicesOfOneStep) {
  const auto plan = plan_slices({2.0, 3.0}, {5});
  EXPECT_EQ(plan.arms[0].steps, 1);
  EXPECT_EQ(plan.arms[1].steps, 1);
  EXPECT_EQ(plan.rounds, fewest_rounds);
}

TEST(PlanSlices, FillsTheBudgetWithCompleteSquares) {
  // A round of one arm: (12 + 10) ms. 0.66 s hold 30 rounds, two arms 15 -> 14, three arms 10, four 7 -> 6.
  const double step = 1e-4;
  EXPECT_EQ(plan_slices({step}, {0.6601}).rounds, 30);
  EXPECT_EQ(plan_slices({step, step}, {0.6601}).rounds, 14);
  EXPECT_EQ(plan_slices({step, step, step}, {0.6601}).rounds, 10);
  EXPECT_EQ(plan_slices({step, step, step, step}, {0.6601}).rounds, 6);
  EXPECT_EQ(plan_slices({step, step, step, step, step, step}, {0.6601}).rounds, 4);
}

TEST(PlanSlices, KeepsRoundsBetweenTheirBounds) {
  EXPECT_EQ(plan_slices({1e-4, 1e-4}, {1000}).rounds, most_rounds);
  EXPECT_EQ(plan_slices({1e-4, 1e-4}, {0}).rounds, fewest_rounds);
}

TEST(PlanSlices, ObeysWhatTheSweepFixes) {
  const auto plan = plan_slices({1e-6, 1e-3}, {5}, {.rounds = 5, .steps = 7});
  EXPECT_EQ(plan.rounds, 5);
  EXPECT_EQ(plan.arms[0].steps, 7);
  EXPECT_EQ(plan.arms[0].group, 7);
  EXPECT_EQ(plan.arms[1].group, 1);
  const auto many = plan_slices({1e-3}, {5}, {.rounds = {}, .steps = 50'000}).arms[0];
  EXPECT_EQ(many.steps, 50'000);
  EXPECT_EQ(many.group, 100);
}

TEST(PlanSlices, SurvivesAStepBelowTheClock) {
  const auto arm = plan_slices({0.0}, {5}).arms[0];
  EXPECT_GT(arm.steps, 0);
  EXPECT_THROW(plan_slices({}, {5}), InternalError);
}

TEST(PlanSlices, StampsEveryCallAndWaitsForItWhereCallsAreCompared) {
  const FixedSlices single = {.rounds = {}, .steps = {}, .single_calls = true};
  const auto quick = plan_slices({1e-6}, {5}, single).arms[0];
  EXPECT_EQ(quick.group, 1) << "below 20 us, too";
  EXPECT_EQ(quick.steps, 500) << "as many samples as a slice may hold";
  EXPECT_TRUE(quick.wait_each);
  const auto slow = plan_slices({1e-3}, {5}, single).arms[0];
  EXPECT_EQ(slow.steps, 12);
  EXPECT_EQ(slow.group, 1);
  EXPECT_FALSE(plan_slices({1e-3}, {5}).arms[0].wait_each);
  EXPECT_EQ(plan_slices({1e-3}, {5}, {.rounds = {}, .steps = 50'000, .single_calls = true}).arms[0].group, 100)
      << "the sweep fixes more steps than there may be samples";
}

TEST(SliceFactor, LeavesQuietArmsAlone) {
  EXPECT_EQ(slice_factor(std::vector<double>{0.001, 0.002, 0.003}, 0.01, 32, false), 1);
}

TEST(SliceFactor, LengthensSlicesUntilTheSpreadIsBelowDelta) {
  const std::vector<double> values = {0, 0.02698, 0.02698 / 4, 0.02698 / 2, 0.02698 * 0.75};  // spread 0.01
  EXPECT_NEAR(slice_factor(values, 0.005, 200, false), 4, 0.01);
}

TEST(SliceFactor, LeavesEnoughSquaresOfLongerSlices) {
  const std::vector<double> noisy = {-0.5, 0.5, -0.25, 0.25, 0};
  EXPECT_EQ(slice_factor(noisy, 0.01, 128, false), 4) << "128 squares make 32 of fourfold length";
}

TEST(SliceFactor, DoublesSlicesWithCarryOver) {
  EXPECT_EQ(slice_factor(std::vector<double>{0, 0, 0}, 0.01, 64, true), 2);
}

}  // namespace
}  // namespace regatta::stats
