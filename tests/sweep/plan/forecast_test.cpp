#include "regatta/sweep/forecast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// A comparison of two arms whose processes take 4 s each to start: a square takes 4 slices of 50 + 10 ms.
constexpr BlockCosts slow_pair = {.prepare = 10, .start = 8, .side_by_side = 8, .wanted = 20, .is_compared = true};

/// The same whose processes start in 10 ms: 4 slices of 12 + 10 ms.
constexpr BlockCosts quick_pair = {
    .prepare = 0.8, .start = 0.02, .side_by_side = 0.02, .wanted = 8.8, .is_compared = true};

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

TEST(BlockForecast, FitsMoreWhereProcessesBeginSideBySideUntilThereIsTimeForEnoughInTurn) {
  BlockCosts costs = slow_pair;
  costs.side_by_side = 4;
  const BlockForecast beside = forecast_of({}, costs, 2, 40);
  EXPECT_EQ(beside.pairs, 7) << "of three squares";
  EXPECT_NEAR(beside.seconds, 10 + 7 * 3 * 0.24 + 6 * 4, 1e-9);
  const BlockForecast in_turn = forecast_of({}, costs, 2, 80);
  EXPECT_EQ(in_turn.pairs, 7 + 2) << "seven whose starts are timed";
  EXPECT_NEAR(in_turn.seconds, 10 + 9 * 6 * 0.24 + 6 * 8 + 2 * 4, 1e-9);
}

TEST(BlockForecast, OfQuickStartsIsTheTimeOfContrasts) {
  const BlockForecast forecast = forecast_of({}, quick_pair, 2);
  EXPECT_EQ(forecast.pairs, 100) << "one square each";
  EXPECT_FALSE(forecast.starts_slow);
  EXPECT_NEAR(forecast.seconds, 0.8 + 8.8 + 99 * 0.02, 1e-9);
}

TEST(BlockForecast, OfAMetricOfProcessesHasOneValueForEachPair) {
  Measure measure;
  measure.metric = Metric::time_to_n;
  EXPECT_EQ(forecast_of(measure, slow_pair, 2).pairs, 7 + 2) << "20 s less 7 x 0.24 s, over 8 s";
}

TEST(BlockForecast, OfFixedSlicesKnowsNoTime) {
  Measure measure;
  measure.slices = 40;
  EXPECT_EQ(forecast_of(measure, slow_pair, 2, 1).pairs, 20) << "the wall time leaves one square to a pair";
}

/// Four trials: two blocks of an engine beside the other.
const std::string two_blocks = R"("axes": {"model": "mlp-10", "engine": ["native", "numpy"], "batch": [1, 8]},
  "compare": {"over": ["engine"], "baseline": {"engine": "native"}}, "measure": {)";

struct Foreseen {
  Sweep sweep;
  Plan plan;
  Sharing sharing;
  Starts starts;

  explicit Foreseen(const std::string& measure, const StartTimes& of_numpy)
      : sweep(sweep_with(two_blocks + measure + "}")), plan(make_plan(sweep)), sharing{arms_of(plan), 1} {
    for (const Trial& trial : plan.trials)
      starts.of_trials.emplace_back(text_of(trial.parameters, Param::engine) == "numpy" ? of_numpy : StartTimes());
  }

  [[nodiscard]] std::optional<Forecast> now() const { return foretell(sweep, plan, sharing, starts); }
};

TEST(Forecast, AddsUpBlocksAndTakesTheFewestPairs) {
  const Foreseen foreseen(R"("per_contrast": "5s")", {3, 1, 1});
  ASSERT_EQ(foreseen.plan.blocks.size(), 2U);
  std::int64_t fewest = 1'000'000;
  double seconds = 0;
  for (const Block& block : foreseen.plan.blocks) {
    const auto costs = costs_of(foreseen.sweep, foreseen.plan, block, foreseen.starts);
    const BlockForecast each = forecast_of(foreseen.sweep.measure, *costs, block.arms.size());
    fewest = std::min(fewest, each.pairs);
    seconds += each.seconds;
  }
  const auto whole = foreseen.now();
  EXPECT_EQ(whole->pairs, fewest);
  EXPECT_NEAR(whole->seconds, seconds - 3, 1e-9) << "the process that started in 3 s is warm for the second block";
  EXPECT_TRUE(whole->starts_slow);
  EXPECT_EQ(whole->enough_seconds, 0) << "nobody limits it";
}

TEST(Forecast, SaysWhichTotalLeavesEnoughPairs) {
  const Foreseen cut(R"("per_contrast": "5s", "total": "40s")", {3, 1, 1});
  const auto forecast = cut.now();
  EXPECT_TRUE(forecast->is_cut);
  EXPECT_LT(forecast->pairs, 7);
  EXPECT_LE(forecast->seconds, 40);
  ASSERT_GT(forecast->enough_seconds, 40);
  Foreseen enough = cut;
  enough.sweep.measure.total_seconds = forecast->enough_seconds;
  EXPECT_GE(enough.now()->pairs, 7);
  enough.sweep.measure.total_seconds = 0.98 * forecast->enough_seconds;
  EXPECT_LT(enough.now()->pairs, 7);
}

TEST(Forecast, KnowsWhereNoTotalWouldDo) {
  const auto forecast = Foreseen(R"("per_contrast": "0.4s", "total": "40s")", {3, 1, 1}).now();
  EXPECT_LT(forecast->pairs, 7);
  EXPECT_EQ(forecast->enough_seconds, 0);
}

TEST(Forecast, OfSlotsSideBySideIsThatOfTheLongest) {
  Foreseen foreseen(R"("per_contrast": "5s")", {0.2, 0.1, 0.1});
  const double one_slot = foreseen.now()->seconds;
  foreseen.sharing.slots = 2;
  EXPECT_NEAR(foreseen.now()->seconds, one_slot / 2, 0.01 * one_slot);
}

TEST(Forecast, GivesWhatABlockLeavesToTheNextOnes) {
  Foreseen foreseen(R"("per_contrast": "5s", "total": "110s")", {3, 1, 1});
  for (const TrialIndex arm : foreseen.plan.blocks.front().arms) foreseen.starts.of_trials[arm.value] = StartTimes();
  const Block& slow = foreseen.plan.blocks.back();
  const auto costs = *costs_of(foreseen.sweep, foreseen.plan, slow, foreseen.starts);
  EXPECT_LT(forecast_of(foreseen.sweep.measure, costs, slow.arms.size(), 55).pairs, 7) << "its share";
  EXPECT_EQ(foreseen.now()->pairs, 7);
}

TEST(Forecast, LeavesOutWhatIsFinished) {
  const Foreseen foreseen(R"("per_contrast": "5s")", {0.2, 0.1, 0.1});
  const auto rest =
      foretell(foreseen.sweep, foreseen.plan, foreseen.sharing, foreseen.starts, {foreseen.plan.blocks.front().hash});
  EXPECT_NEAR(rest->seconds, foreseen.now()->seconds / 2, 0.02 * rest->seconds);
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

TEST(Forecast, IsNothingWhereAStartIsNotKnown) {
  Foreseen foreseen(R"("per_contrast": "5s")", {});
  foreseen.starts.of_trials.back().reset();
  EXPECT_FALSE(foreseen.now());
}

TEST(Forecast, OfLoneArmsCountsNoPairs) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "mlp-10", "engine": ["numpy"], "batch": [1, 8, 32]},
    "measure": {"per_contrast": "5s"})");
  const Plan plan = make_plan(sweep);
  const auto forecast =
      foretell(sweep, plan, {arms_of(plan), 1}, {std::vector<std::optional<StartTimes>>(3, StartTimes{2, 0.5, 0.5})});
  EXPECT_EQ(forecast->pairs, 0);
  EXPECT_NEAR(forecast->seconds, 2 + 3 * (0.5 + 0.5 + 0.4 + 5), 1e-9) << "one process serves them all";
}

}  // namespace
}  // namespace regatta::sweep
