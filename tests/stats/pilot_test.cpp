#include "regatta/stats/pilot.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace regatta::stats {
namespace {

constexpr double alpha = 0.05;

TEST(RobustSpread, IsTheInterquartileRangeInStandardDeviations) {
  EXPECT_NEAR(robust_spread(std::vector<double>{0, 1, 2, 3, 1000}), 2 / 1.349, 1e-4);
  EXPECT_EQ(robust_spread(std::vector<double>{5}), 0);
}

TEST(ExpectedUnits, GrowWithTheSpread) {
  EXPECT_EQ(expected_units(0, 0.01, alpha, 100), 7U);
  // At n = 7 the interval runs from the least to the greatest value: 1.36 standard deviations each side.
  EXPECT_EQ(expected_units(0.0073, 0.01, alpha, 100), 7U);
  EXPECT_GT(expected_units(0.0075, 0.01, alpha, 100), 7U);
  EXPECT_GT(expected_units(0.02, 0.01, alpha, 100), expected_units(0.01, 0.01, alpha, 100));
  EXPECT_EQ(expected_units(1, 0.01, alpha, 100), 100U);
}

TEST(PilotAdvice, LeavesQuietArmsAlone) {
  const auto advice = pilot_advice(std::vector<double>{0.001, 0.002, 0.003}, 0.01, alpha, 32, false);
  EXPECT_EQ(advice.factor, 1);
  EXPECT_EQ(advice.units, 7U);
}

TEST(PilotAdvice, LengthensSlicesUntilTheSpreadIsBelowDelta) {
  const std::vector<double> values = {0, 0.02698, 0.02698 / 4, 0.02698 / 2, 0.02698 * 0.75};  // spread 0.01
  const auto advice = pilot_advice(values, 0.005, alpha, 200, false);
  EXPECT_NEAR(advice.factor, 4, 0.01);
  EXPECT_NEAR(advice.spread, 0.005, 1e-5);
}

TEST(PilotAdvice, LeavesEnoughUnitsOfLongerSlices) {
  const std::vector<double> noisy = {-0.5, 0.5, -0.25, 0.25, 0};
  const auto advice = pilot_advice(noisy, 0.01, alpha, 128, false);
  EXPECT_EQ(advice.factor, 4) << "128 squares make 32 of fourfold length";
}

TEST(PilotAdvice, DoublesSlicesWithCarryOver) {
  EXPECT_EQ(pilot_advice(std::vector<double>{0, 0, 0}, 0.01, alpha, 64, true).factor, 2);
}

}  // namespace
}  // namespace regatta::stats
