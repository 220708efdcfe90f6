#include "regatta/stats/process_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {
namespace {

constexpr double plenty = 1e6;

TEST(SquaresPerPair, GrowsWithWhatAStartTakesFromFiveToTwenty) {
  const auto squares = [](double start_squares) { return squares_per_pair({0.1, start_squares, plenty}); };
  EXPECT_EQ(squares(0.1), 5);
  EXPECT_EQ(squares(25), 5);
  EXPECT_EQ(squares(100), 10);
  EXPECT_EQ(squares(10'000), 20);
}

TEST(SquaresPerPair, AreFewWhereASquareTakesAsLongAsAStart) {
  EXPECT_EQ(squares_per_pair({1.7, 2, plenty}), 1);
  EXPECT_EQ(squares_per_pair({0.6, 9, plenty}), 3) << "five would take 3 s";
  EXPECT_EQ(squares_per_pair({1.7, 9, plenty}), 3);
}

TEST(SquaresPerPair, LeavesTimeForTwoPairs) {
  EXPECT_EQ(squares_per_pair({0.5, 100, 16}), 8);
  EXPECT_EQ(squares_per_pair({0.5, 100, plenty, 112}), 6) << "the second start takes a hundred of them";
}

TEST(SquaresPerPair, ServesFiveSquaresOrTwoSecondsOnceAPairHasStarted) {
  EXPECT_EQ(squares_per_pair({0.1, 100, 2}), 5) << "whatever time is left";
  EXPECT_EQ(squares_per_pair({0.6, 100, 2}), 3);
  EXPECT_EQ(squares_per_pair({30, 1, 0.5}), 1);
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
  EXPECT_NEAR(wanted_slice_seconds(1.1, 12, 7), 12.0 / (16 * 2 * 7) - rules::reentry_seconds, 1e-12);
  EXPECT_EQ(wanted_slice_seconds(1.1, 1, 7), rules::slice_seconds);
}

}  // namespace
}  // namespace regatta::stats
