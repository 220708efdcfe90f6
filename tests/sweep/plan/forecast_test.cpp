#include "regatta/sweep/forecast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "regatta/sweep/block_costs.hpp"
#include "sweep/plan/foreseen.hpp"

namespace regatta::sweep {
namespace {

constexpr double least_squares_seconds = 5 * 4 * (0.050 + 0.010);  ///< five squares, where starts are slow
constexpr double renewals_seconds = 2 * 2 * 0.06;                  ///< two arms in each of two blocks

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

TEST(Forecast, SaysWhenTheFirstComparisonHasTwoPairs) {
  const Foreseen foreseen(R"("per_contrast": "5s")", {3, 1, 1});
  const Block& first = foreseen.plan.blocks.front();
  const auto costs = costs_of(foreseen.sweep, foreseen.plan, first, foreseen.starts);
  EXPECT_EQ(foreseen.now()->first_seconds, least_seconds({}, *costs, first.arms.size()));
}

TEST(Forecast, OfATourCountsImportsOnceForAllItsBlocks) {
  Foreseen foreseen(R"("per_contrast": "5s")", {3, 0, 0});
  const auto apart = foreseen.now();
  foreseen.starts.shared = shared_processes(foreseen.sweep, foreseen.plan, 1);
  ASSERT_EQ(foreseen.starts.shared_by(foreseen.plan.blocks.back().index).blocks, 2U);
  const auto together = foreseen.now();
  EXPECT_LT(together->seconds, apart->seconds);
  constexpr double preparing = 2 * 2 * 0.4;  // pilots of two arms in each block
  const double measuring = 2 * 2 * least_squares_seconds;
  EXPECT_NEAR(together->first_seconds, 3 + 3 + preparing + measuring + renewals_seconds, 1e-9)
      << "two starts of 3 s, and two pairs of each block";
}

TEST(Forecast, SaysWhichTotalLeavesEnoughPairs) {
  const Foreseen cut(R"("per_contrast": "30s", "total": "40s")", {3, 1, 1});
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
  foreseen.slots = 2;
  EXPECT_NEAR(foreseen.now()->seconds, one_slot / 2, 0.01 * one_slot);
}

TEST(Forecast, OfBlocksThatTakeAllSlotsIsThatOfOneAfterTheOther) {
  Foreseen foreseen(R"("per_contrast": "5s")", {0.2, 0.1, 0.1});
  const double one_slot = foreseen.now()->seconds;
  foreseen.slots = 2;
  for (Block& block : foreseen.plan.blocks) block.demand.ranks = 2;
  EXPECT_NEAR(foreseen.now()->seconds, one_slot, 1e-9);
  foreseen.slots = 4;
  EXPECT_NEAR(foreseen.now()->seconds, one_slot / 2, 0.01 * one_slot);
}

TEST(Forecast, OfBlocksThatTakeAllSlotsStaysInTheTotal) {
  Foreseen foreseen(R"("per_contrast": "60s", "total": "20s")", {0.2, 0.1, 0.1});
  foreseen.slots = 2;
  for (Block& block : foreseen.plan.blocks) block.demand.ranks = 2;
  EXPECT_LE(foreseen.now()->seconds, 20);
  EXPECT_GE(foreseen.now()->seconds, 15);
}

TEST(Forecast, LeavesOutWhatIsFinished) {
  const Foreseen foreseen(R"("per_contrast": "5s")", {0.2, 0.1, 0.1});
  const auto rest = foretell(foreseen.sweep, foreseen.plan, foreseen.sharing(), {foreseen.plan.blocks.front().hash});
  EXPECT_NEAR(rest->seconds, foreseen.now()->seconds / 2, 0.02 * rest->seconds);
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
  const Starts starts{std::vector<std::optional<StartTimes>>(3, StartTimes{2, 0.5, 0.5})};
  const auto forecast = foretell(sweep, plan, sharing_of(sweep, plan, starts, 1));
  EXPECT_EQ(forecast->pairs, 0);
  EXPECT_NEAR(forecast->seconds, 2 + 3 * (0.5 + 0.5 + 0.4 + 5), 1e-9) << "one process serves them all";
}

TEST(Forecast, CountsClonesWhereNothingLimitsTheTime) {
  const auto seconds = [](const char* measure, bool has_clones) {
    return Foreseen(measure, {0.2, 0.1, 0.1}, has_clones).now()->seconds;
  };
  EXPECT_GT(seconds(R"("per_contrast": "5s")", true), seconds(R"("per_contrast": "5s")", false));
  constexpr const char* limited = R"("per_contrast": "60s", "total": "20s")";
  EXPECT_EQ(seconds(limited, true), seconds(limited, false)) << "they have what is left";
}

}  // namespace
}  // namespace regatta::sweep
