#include "ranks/loop_watch.hpp"

#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

TEST(LoopWatch, CountsWhatIsLateBeyondTheSleepThatWasAskedFor) {
  LoopWatch watch(100);
  watch.turn_begins(100);
  watch.turn_ends(100, 1);
  watch.sleeps_until(102);
  watch.turn_begins(101);  // a worker woke it
  watch.turn_ends(101, 2);
  watch.sleeps_until(102);
  watch.turn_begins(102.5);
  watch.turn_ends(103, 4);
  EXPECT_EQ(watch.turns(), 3U);
  EXPECT_EQ(watch.lags().count(), 3U);
  EXPECT_EQ(watch.lags().quantile(0.5), 0);
  EXPECT_EQ(watch.lags().most(), 0.5);
  EXPECT_EQ(watch.inbox().quantile(0.5), 2);
  EXPECT_EQ(watch.inbox().most(), 4);
  watch.turn_begins(105);
  watch.turn_ends(105, 1);
  EXPECT_EQ(watch.lags().most(), 2) << "it was due at the end of the turn before";
}

TEST(LoopWatch, PassesOverTurnsThatNobodyWaitedFor) {
  LoopWatch watch(0);
  watch.turn_begins(9);
  watch.turn_ends(9, 0);
  EXPECT_EQ(watch.turns(), 1U);
  EXPECT_EQ(watch.lags().count(), 0U);
  EXPECT_EQ(watch.inbox().count(), 0U);
}

}  // namespace
}  // namespace regatta::launcher
