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

TEST(SlotTime, GivesWhatABlockLeavesToAllThatAreStillToCome) {
  SlotTime slot;
  EXPECT_DOUBLE_EQ(block_seconds(slot, 30, 90), 30) << "nothing is left yet";
  note_block(slot, 30, 10);
  EXPECT_DOUBLE_EQ(block_seconds(slot, 20, 90), 20 + 20 * 20.0 / 60) << "its part of 20 s, by its share of 60 s";
  note_block(slot, 20, 20);
  EXPECT_DOUBLE_EQ(block_seconds(slot, 40, 90), 40 + 20) << "the last one may take all of it";
}

TEST(SlotTime, SpreadsWhatABlockTookBeyondItsShare) {
  SlotTime slot;
  note_block(slot, 10, 30);
  EXPECT_DOUBLE_EQ(block_seconds(slot, 40, 90), 40 - 20 * 40.0 / 80);
  note_block(slot, 100, 100);  // a slot that is faster than others is granted more than its part
  EXPECT_DOUBLE_EQ(block_seconds(slot, 10, 90), 10 - 20);
}

}  // namespace
}  // namespace regatta::sweep
