#include "regatta/sweep/block_costs.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "sweep/plan/foreseen.hpp"

namespace regatta::sweep {
namespace {

/// A comparison of two arms whose processes take 4 s each to start: a square takes 4 slices of 50 + 10 ms.
constexpr BlockCosts slow_pair = {
    .prepare = 10, .start = 8, .side_by_side = 8, .wanted = 20, .planning = 20, .is_compared = true};

/// The same whose processes start in 10 ms: 4 slices of 12 + 10 ms.
constexpr BlockCosts quick_pair = {
    .prepare = 0.8, .start = 0.02, .side_by_side = 0.02, .wanted = 8.8, .planning = 8.8, .is_compared = true};

TEST(BlockForecast, CountsStartsBesideTheTimeOfContrastsUntilThereAreEnoughPairs) {
  const BlockForecast forecast = forecast_of({}, slow_pair, 2);
  EXPECT_EQ(forecast.pairs, 8) << "7 of six squares in 10.08 s; of the 9.92 s left a start takes 8";
  EXPECT_NEAR(forecast.seconds, 10 + 8 * 6 * 0.24 + 7 * 8, 1e-9);
  EXPECT_TRUE(forecast.starts_slow);
}

TEST(BlockForecast, FitsWholePairsIntoWallTime) {
  const BlockForecast forecast = forecast_of({}, slow_pair, 2, 40);
  EXPECT_EQ(forecast.pairs, 4);
  EXPECT_NEAR(forecast.seconds, 10 + 4 * 6 * 0.24 + 3 * 8, 1e-9);
  EXPECT_EQ(forecast_of({}, slow_pair, 2, 1).pairs, 1) << "the first pair is measured whatever it costs";
}

TEST(BlockForecast, FitsMoreWhereProcessesBeginSideBySide) {
  BlockCosts costs = slow_pair;
  costs.side_by_side = 4;
  const BlockForecast beside = forecast_of({}, costs, 2, 40);
  EXPECT_EQ(beside.pairs, 6) << "of five squares";
  EXPECT_NEAR(beside.seconds, 10 + 6 * 5 * 0.24 + 5 * 4, 1e-9);
  EXPECT_LT(forecast_of({}, slow_pair, 2, 40).pairs, beside.pairs);
}

TEST(BlockForecast, OfQuickStartsIsTheTimeOfContrasts) {
  const BlockForecast forecast = forecast_of({}, quick_pair, 2);
  EXPECT_EQ(forecast.pairs, 20) << "of five squares";
  EXPECT_FALSE(forecast.starts_slow);
  EXPECT_NEAR(forecast.seconds, 0.8 + 8.8 + 19 * 0.02, 1e-9);
}

TEST(BlockForecast, OfAMetricOfProcessesHasOneValueForEachPair) {
  Measure measure;
  measure.metric = Metric::time_to_n;
  EXPECT_EQ(forecast_of(measure, slow_pair, 2).pairs, 7 + 2) << "20 s less 7 x 0.24 s, over 8 s";
}

TEST(BlockForecast, OfFixedSlicesKnowsNoTime) {
  Measure measure;
  measure.slices = 40;
  EXPECT_EQ(forecast_of(measure, slow_pair, 2, 1).pairs, 4)
      << "a pair that has started serves five of the twenty squares";
}

TEST(BlockCosts, LetProcessesBeginOnCoresThatNoneOfThemNeeds) {
  Foreseen foreseen(R"("per_contrast": "5s")", {3, 1, 1});
  const Block& block = foreseen.plan.blocks.front();
  const auto costs_on = [&](std::size_t cores) {
    foreseen.starts.cores = cores;
    return *costs_of(foreseen.sweep, foreseen.plan, block, foreseen.starts);
  };
  EXPECT_EQ(costs_on(1).side_by_side, costs_on(1).start);
  EXPECT_LT(costs_on(2).side_by_side, costs_on(2).start);
  for (Trial& trial : foreseen.plan.trials) trial.parameters[Param::threads] = std::int64_t{2};
  EXPECT_EQ(costs_on(3).side_by_side, costs_on(3).start);
  EXPECT_LT(costs_on(4).side_by_side, costs_on(4).start);
}

TEST(BlockCosts, AreGuessedOfWhatNobodyHasStartedYet) {
  Foreseen foreseen(R"("per_contrast": "5s")", {});
  const Block& block = foreseen.plan.blocks.front();
  const BlockCosts known = guessed_costs_of(foreseen.sweep, foreseen.plan, block, foreseen.starts);
  EXPECT_EQ(known.prepare, costs_of(foreseen.sweep, foreseen.plan, block, foreseen.starts)->prepare);
  foreseen.starts.of_trials.clear();
  EXPECT_FALSE(costs_of(foreseen.sweep, foreseen.plan, block, foreseen.starts));
  EXPECT_GT(guessed_costs_of(foreseen.sweep, foreseen.plan, block, foreseen.starts).start, known.start + 2);
}

TEST(LeastSeconds, AreThoseOfAsManyProcessesAndSquaresAsMayGiveAVerdict) {
  EXPECT_NEAR(least_seconds({}, slow_pair, 2), 10 + 8 + 2 * 5 * 0.24, 1e-9);
  Measure measure;
  measure.metric = Metric::time_to_n;
  EXPECT_NEAR(least_seconds(measure, slow_pair, 2), 10 + 8 + 2 * 0.24, 1e-9) << "one value of each process";
  BlockCosts alone = slow_pair;
  alone.is_compared = false;
  EXPECT_EQ(least_seconds({}, alone, 1), 30);
}

}  // namespace
}  // namespace regatta::sweep
