#include "ranks/time_left.hpp"

#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

TEST(TimeLeft, IsWhatWasExpectedBeforeAnythingIsKnown) {
  TimeLeft left;
  EXPECT_EQ(left.seconds(), 0);
  left.add("numpy", 3);
  left.add("numpy", 5);
  left.add("torch", 10);
  EXPECT_DOUBLE_EQ(left.seconds(), 18);
  EXPECT_DOUBLE_EQ(left.seconds_of("numpy"), 4);
}

TEST(TimeLeft, LearnsWhatBlocksOfAKindTake) {
  TimeLeft left;
  for (int i = 0; i < 3; ++i) left.add("numpy", 4);
  left.done("numpy", 1);
  EXPECT_DOUBLE_EQ(left.seconds(), 2);
  left.done("numpy", 3);
  EXPECT_DOUBLE_EQ(left.seconds(), 2);  // one left, at 2 s
}

TEST(TimeLeft, ScalesWhatWasNeverSeenByHowFarExpectationsWereOff) {
  TimeLeft left;
  left.add("numpy", 4);
  left.add("torch", 10);
  left.done("numpy", 2);
  EXPECT_DOUBLE_EQ(left.seconds(), 5);
}

TEST(TimeLeft, LearnsNothingFromWhatWasNotRun) {
  TimeLeft left;
  left.add("numpy", 4);
  left.add("numpy", 4);
  left.done("numpy", std::nullopt);
  EXPECT_DOUBLE_EQ(left.seconds(), 4);
}

}  // namespace
}  // namespace regatta::launcher
