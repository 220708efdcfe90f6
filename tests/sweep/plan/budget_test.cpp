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
  EXPECT_EQ(block_budget_seconds(sweep, block_of(3), 100), 8);
}

TEST(Budget, OfALoneArmIsThatOfOneContrast) {
  Sweep sweep;
  sweep.measure.per_contrast_seconds = 4;
  EXPECT_EQ(block_budget_seconds(sweep, block_of(1), 100), 4);
}

TEST(Budget, IsAtMostTheShareOfTheTotalByArms) {
  Sweep sweep;
  sweep.measure.per_contrast_seconds = 4;
  sweep.measure.total_seconds = 60;
  EXPECT_EQ(block_budget_seconds(sweep, block_of(2), 60), 2);
  EXPECT_EQ(block_budget_seconds(sweep, block_of(2), 10), 4) << "no more than is wanted";
  EXPECT_EQ(wanted_seconds(sweep, block_of(2)), 4) << "whatever the total is";
}

}  // namespace
}  // namespace regatta::sweep
