#include "ranks/drain_patience.hpp"

#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

constexpr Others nothing_asked{};
constexpr Others drain{.drain = true};
constexpr Others termination{.drain = true, .termination = true};

TEST(LeavePatience, WaitsForEverAsLongAsNobodyAsksItToStop) {
  LeavePatience patience;
  EXPECT_FALSE(patience.is_over(nothing_asked, 1000));
  EXPECT_FALSE(patience.is_over(nothing_asked, 1e6));
}

TEST(LeavePatience, GivesOthersTheTimeOfTheirSquare) {
  LeavePatience patience;
  EXPECT_FALSE(patience.is_over(drain, 1000));
  EXPECT_FALSE(patience.is_over(drain, 1005));
  EXPECT_TRUE(patience.is_over(drain, 1006));
}

TEST(LeavePatience, BeginsAnewWithEachSignOfLife) {
  LeavePatience patience;
  EXPECT_FALSE(patience.is_over(drain, 1000));
  Others heard = drain;
  heard.heard_seconds = 1004;
  EXPECT_FALSE(patience.is_over(heard, 1009));
  EXPECT_TRUE(patience.is_over(heard, 1010));
}

TEST(LeavePatience, WhatWasHeardLongBeforeDoesNotCount) {
  LeavePatience patience;
  Others heard = drain;
  heard.heard_seconds = 10;
  EXPECT_FALSE(patience.is_over(heard, 1000));
}

TEST(LeavePatience, EndsSoonWhereEverythingIsEnded) {
  LeavePatience patience;
  EXPECT_FALSE(patience.is_over(termination, 1000));
  EXPECT_TRUE(patience.is_over(termination, 1002));
  LeavePatience later;
  EXPECT_FALSE(later.is_over(drain, 1000));
  EXPECT_TRUE(later.is_over(termination, 1002)) << "a drain that became an end";
}

}  // namespace
}  // namespace regatta::launcher
