#include "regatta/sweep/budget.hpp"

#include <gtest/gtest.h>

#include "sweep/plan/foreseen.hpp"

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

TEST(Budget, IsAllOfTheTotalWhereOnlyThatIsGiven) {
  Sweep sweep;
  EXPECT_EQ(wanted_seconds(sweep, block_of(3)), 2 * usual_contrast_seconds);
  sweep.measure.total_seconds = 60;
  EXPECT_EQ(wanted_seconds(sweep, block_of(3)), 60);
  EXPECT_EQ(planning_seconds(sweep, block_of(3)), 2 * usual_contrast_seconds) << "more time gives more pairs";
  EXPECT_EQ(wanted_seconds(sweep, block_of(1)), usual_contrast_seconds) << "nothing is to be decided";
  sweep.measure.per_contrast_seconds = 4;
  EXPECT_EQ(wanted_seconds(sweep, block_of(3)), 8);
}

TEST(ShareSeconds, AreWhatAVerdictNeedsAndMoreByWhatABlockCanUse) {
  const Sharing sharing{.all = {.least = 20, .full = 100}, .slots = 1, .starts = {}};
  const TimeNeed block{.least = 15, .full = 35};
  EXPECT_DOUBLE_EQ(share_seconds(block, sharing, 100), 35) << "all have what they can use";
  EXPECT_DOUBLE_EQ(share_seconds(block, sharing, 60), 15 + 20.0 / 2) << "half of what is more than needed";
  EXPECT_DOUBLE_EQ(share_seconds(block, sharing, 10), 15.0 / 2) << "half of what is needed";
  EXPECT_DOUBLE_EQ(share_seconds(block, sharing, 180), 15 + 20 * 2.0) << "all of it is given away";
}

TEST(ShareSeconds, OfSlotsSideBySideAreNoMoreThanTheTotal) {
  Sharing sharing{.all = {.least = 20, .full = 100}, .slots = 4, .starts = {}};
  EXPECT_DOUBLE_EQ(share_seconds({5, 25}, sharing, 10), 5 + 20 * 20.0 / 80) << "four measure side by side";
  EXPECT_DOUBLE_EQ(share_seconds({20, 100}, sharing, 10), 10) << "but none for longer than all";
  sharing.all = {};
  EXPECT_DOUBLE_EQ(share_seconds({5, 25}, sharing, 10), 10) << "nobody shares it";
  sharing.all = {20, 20};
  EXPECT_DOUBLE_EQ(share_seconds({5, 5}, sharing, 10), 10) << "nobody can use more";
}

TEST(Budget, OfWallTimeIsNoneWithoutATotal) {
  const Foreseen foreseen(R"("per_contrast": "5s")", {3, 1, 1});
  EXPECT_FALSE(wall_share_seconds(foreseen.sweep, foreseen.plan, foreseen.plan.blocks.front(), foreseen.sharing()));
}

TEST(Budget, OfWallTimeIsSharedWholeAndByWhatStartsTake) {
  Foreseen foreseen(R"("per_contrast": "5s", "total": "100s")", {});
  for (const TrialIndex arm : foreseen.plan.blocks.back().arms)
    foreseen.starts.of_trials[arm.value] = StartTimes{2, 1, 1};
  const auto share = [&](const Block& block) {
    return *wall_share_seconds(foreseen.sweep, foreseen.plan, block, foreseen.sharing());
  };
  const double quick = share(foreseen.plan.blocks.front());
  const double slow = share(foreseen.plan.blocks.back());
  EXPECT_NEAR(quick + slow, 100, 1e-9);
  EXPECT_GT(slow, 2 * quick) << "as many arms";
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
