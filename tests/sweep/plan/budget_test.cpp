#include "regatta/sweep/budget.hpp"

#include <gtest/gtest.h>

namespace regatta::sweep {
namespace {

Block block_of(std::size_t arms) {
  Block block;
  block.arms.resize(arms);
  block.has_baseline = arms > 1;
  return block;
}

TEST(Budget, IsPerContrastForEachArmBesidesTheBaseline) {
  Sweep sweep;
  sweep.measure.per_contrast_seconds = 4;
  EXPECT_EQ(wanted_seconds(sweep, block_of(3)), 8);
}

TEST(Budget, OfALoneArmIsThatOfOneContrast) {
  Sweep sweep;
  sweep.measure.per_contrast_seconds = 4;
  EXPECT_EQ(wanted_seconds(sweep, block_of(1)), 4);
}

TEST(Budget, OfWallTimeIsTheShareOfTheTotalByArms) {
  Sweep sweep;
  EXPECT_FALSE(wall_share_seconds(sweep, block_of(2), {}));
  sweep.measure.total_seconds = 60;
  EXPECT_EQ(wall_share_seconds(sweep, block_of(2), {.arms = 60, .slots = 1}), 2);
  EXPECT_EQ(wall_share_seconds(sweep, block_of(2), {.arms = 60, .slots = 4}), 8) << "four measure side by side";
  EXPECT_EQ(wall_share_seconds(sweep, block_of(2), {.arms = 4, .slots = 4}), 60) << "but none for longer than all";
}

}  // namespace
}  // namespace regatta::sweep
