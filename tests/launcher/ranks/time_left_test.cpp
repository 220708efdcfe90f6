#include "ranks/time_left.hpp"

#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

TEST(TimeLeft, IsWhatWasExpectedBeforeAnythingIsKnown) {
  TimeLeft left;
  EXPECT_EQ(left.seconds(), 0);
  left.add("numpy", {3});
  left.add("numpy", {5});
  left.add("torch", {10});
  EXPECT_DOUBLE_EQ(left.seconds(), 18);
  EXPECT_DOUBLE_EQ(left.seconds_of("numpy"), 4);
}

TEST(TimeLeft, LearnsWhatBlocksOfAKindTake) {
  TimeLeft left;
  for (int i = 0; i < 3; ++i) left.add("numpy", {4});
  left.done({1}, "numpy", 1);
  EXPECT_DOUBLE_EQ(left.seconds(), 2);
  left.done({2}, "numpy", 3);
  EXPECT_DOUBLE_EQ(left.seconds(), 2);  // one left, at 2 s
}

TEST(TimeLeft, ScalesWhatWasNeverSeenByHowFarExpectationsWereOff) {
  TimeLeft left;
  left.add("numpy", {4});
  left.add("torch", {10});
  left.done({3}, "numpy", 2);
  EXPECT_DOUBLE_EQ(left.seconds(), 5);
}

TEST(TimeLeft, TakesWhatABlockForetellsForWhatItsKindTakes) {
  TimeLeft left;
  for (int i = 0; i < 3; ++i) left.add("torch", {4});
  EXPECT_FALSE(left.is_known());
  left.foretell({0}, "torch", 20);
  EXPECT_TRUE(left.is_known());
  EXPECT_DOUBLE_EQ(left.seconds(), 60);
  left.foretell({0}, "torch", 16);  // it knows better now
  EXPECT_DOUBLE_EQ(left.seconds(), 48);
  left.done({0}, "torch", 10);
  left.foretell({1}, "torch", 30);
  EXPECT_DOUBLE_EQ(left.seconds(), 20) << "what was seen goes before what is foretold";
}

TEST(TimeLeft, IsKnownFromTheBeginningWhereAllOfItWasLearntBefore) {
  TimeLeft left;
  left.add("torch", {.seconds = 10, .is_learnt = true});
  EXPECT_TRUE(left.is_known());
  left.add("jax", {.seconds = 10});
  EXPECT_FALSE(left.is_known()) << "a part of it is no time left";
}

TEST(TimeLeft, ScalesWhatWasNeverSeenByWhatIsForetoldNoFurtherThanItMayTake) {
  TimeLeft left;
  left.add("torch", {10, 100});
  left.add("numpy", {4, 100});
  left.add("jax", {20, 50});
  left.foretell({0}, "torch", 30);
  EXPECT_DOUBLE_EQ(left.seconds_of("numpy"), 12);
  EXPECT_DOUBLE_EQ(left.seconds_of("jax"), 50);
  EXPECT_DOUBLE_EQ(left.seconds(), 30 + 12 + 50);
}

TEST(TimeLeft, LearnsNothingFromWhatWasNotRun) {
  TimeLeft left;
  left.add("numpy", {4});
  left.add("numpy", {4});
  left.done({4}, "numpy", std::nullopt);
  EXPECT_FALSE(left.is_known());
  EXPECT_DOUBLE_EQ(left.seconds(), 4);
}

}  // namespace
}  // namespace regatta::launcher
