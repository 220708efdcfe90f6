#include "regatta/stats/pilot.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace regatta::stats {
namespace {

TEST(RobustSpread, IsTheInterquartileRangeInStandardDeviations) {
  EXPECT_NEAR(robust_spread(std::vector<double>{0, 1, 2, 3, 1000}), 2 / 1.349, 1e-4);
  EXPECT_EQ(robust_spread(std::vector<double>{5}), 0);
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
