#include "regatta/stats/process_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {
namespace {

constexpr JudgeOptions usual = {.process_effect = rules::assumed_process_effect};
const double between = rules::assumed_process_effect / 1.96;

std::int64_t squares(double within, double start_squares, double affordable_squares = 1e6) {
  const std::vector<ContrastForecast> forecasts = {{0, within}};
  return squares_per_pair(forecasts, {start_squares, affordable_squares}, usual);
}

TEST(SquaresPerPair, IsOneWhereAStartTakesNoLongerThanASquare) {
  EXPECT_EQ(squares(100 * between, 1), 1);
  EXPECT_EQ(squares(100 * between, 0), 1);
}

TEST(SquaresPerPair, MakesTheMeanOfPairsAsSureAsTheTimeAllows) {
  constexpr double time = 10'000;  // counted in squares
  const auto variance = [](double count, double within, double start) {
    return (between * between + within * within / count) / (time / (start + count));
  };
  for (const double spread : {0.3, 1.0, 4.0}) {
    for (const double start : {2.0, 10.0, 100.0}) {
      const double within = spread * between;
      const auto chosen = static_cast<double>(squares(within, start));
      EXPECT_LE(variance(chosen, within, start), 1.001 * variance(chosen + 1, within, start));
      const double fewer = std::max(1.0, chosen - 1);
      EXPECT_LE(variance(chosen, within, start), 1.001 * variance(fewer, within, start));
    }
  }
}

TEST(SquaresPerPair, LeavesTimeForSevenPairs) {
  EXPECT_EQ(squares(100 * between, 33, 45), 6);
  EXPECT_EQ(squares(100 * between, 33, 700), 100);
}

TEST(SquaresPerPair, LeavesTimeForThreePairsWhereSevenDoNotFit) {
  EXPECT_EQ(squares(100 * between, 33, 7), 2);
  EXPECT_EQ(squares(100 * between, 33, 3), 1);
  EXPECT_EQ(squares(100 * between, 33, 0), 1);
}

TEST(SquaresPerPair, TakesTheSpreadsAsAlikeWithoutAForecast) {
  EXPECT_EQ(squares_per_pair({}, {36, 1e6}, usual), 6);
  EXPECT_EQ(squares_per_pair({}, {0.5, 1e6}, usual), 1);
}

TEST(SquaresPerPair, TakesThreePairsOfThreeForAContrastThatIsClear) {
  const std::vector<ContrastForecast> clear = {{std::log(2.0), 0.03}};
  const std::vector<ContrastForecast> close = {{std::log(1.02), 0.03}};
  EXPECT_EQ(squares_per_pair(clear, {100, 1e6}, usual), 3);
  EXPECT_EQ(squares_per_pair(close, {100, 1e6}, usual), 59);
}

TEST(SquaresPerPair, TakesNothingForClearThatIsNotKnown) {
  const std::vector<ContrastForecast> unknown = {{.within = 0.3 * between}};
  EXPECT_EQ(squares_per_pair(unknown, {100, 1e6}, usual), squares(0.3 * between, 100));
  EXPECT_EQ(squares_per_pair(unknown, {30, 1e6}, usual), 2);
}

TEST(SquaresPerPair, FollowsTheContrastThatNeedsMost) {
  const std::vector<ContrastForecast> both = {{std::log(2.0), 0.03}, {0, 0.01}};
  EXPECT_EQ(squares_per_pair(both, {100, 1e6}, usual), 20);
}

TEST(PlannedPairs, BeginInTurnWhereBothTimesHoldEnoughOfThem) {
  const PairPlan in_turn = planned_pairs({}, {36, 1e6}, 18, usual);
  EXPECT_EQ(in_turn.squares_each, 6);
  EXPECT_TRUE(in_turn.times_starts);
  const PairPlan side_by_side = planned_pairs({}, {36, 1e6, 150}, 18, usual);
  EXPECT_EQ(side_by_side.squares_each, 4) << "the root of 18: its starts take less";
  EXPECT_FALSE(side_by_side.times_starts) << "though seven fit now: only because they are not timed";
  EXPECT_FALSE(planned_pairs({}, {36, 6}, 18, usual).times_starts);
}

TEST(SideBySide, ImportsGoOnWhileModelsAreBuilt) {
  const std::vector<double> imports = {4, 2, 1};
  EXPECT_EQ(side_by_side_seconds(imports, 3, 0), 4 + 2 + 1 + 3) << "nowhere to begin";
  EXPECT_EQ(side_by_side_seconds(imports, 3, 1), 4 + 3);
  const std::vector<double> slow_beside = {1, 8, 8};
  EXPECT_EQ(side_by_side_seconds(slow_beside, 3, 1), 16);
  EXPECT_EQ(side_by_side_seconds(slow_beside, 3, 2), 8);
  EXPECT_EQ(side_by_side_seconds({}, 0, 1), 0);
}

TEST(WantedSlice, IsLongWhereAPairStartsSlowlyAsFarAsTimeGoes) {
  EXPECT_EQ(wanted_slice_seconds(rules::slow_start_seconds, 1e6, 2), rules::slice_seconds);
  EXPECT_EQ(wanted_slice_seconds(1.1, 1e6, 2), rules::long_slice_seconds);
  EXPECT_NEAR(wanted_slice_seconds(1.1, 24, 7), 24.0 / (16 * 49) - rules::reentry_seconds, 1e-12);
  EXPECT_EQ(wanted_slice_seconds(1.1, 1, 7), rules::slice_seconds);
}

}  // namespace
}  // namespace regatta::stats
