#include "regatta/stats/crossover.hpp"

#include <gtest/gtest.h>

namespace regatta::stats {
namespace {

/// Judged with a margin of `delta`.
AxisPoint point(double at, double log_ratio, double half_width, double delta = 0) {
  const Range range{log_ratio - half_width, log_ratio + half_width};
  return {at, {log_ratio, range}, verdict_of(range, delta)};
}

TEST(Crossovers, InterpolateInLogOfTheAxis) {
  // From 1 to 100 the log ratio goes from -0.1 to 0.1: 0 at 10; the edges at 1 % cross at 10^0.9 and 10^1.1.
  const auto found = crossovers({point(100, 0.1, 0.01), point(1, -0.1, 0.01)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].becomes_slower);
  EXPECT_NEAR(found[0].at.value, 10, 1e-9);
  EXPECT_NEAR(found[0].at.range.low, 7.943282347, 1e-6);
  EXPECT_NEAR(found[0].at.range.high, 12.589254118, 1e-6);
}

TEST(Crossovers, AreLinearWhereTheAxisHoldsZero) {
  const auto found = crossovers({point(0, 0.2, 0.02), point(10, -0.2, 0.02)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].becomes_slower);
  EXPECT_NEAR(found[0].at.value, 5, 1e-9);
  EXPECT_NEAR(found[0].at.range.low, 4.5, 1e-9);
  EXPECT_NEAR(found[0].at.range.high, 5.5, 1e-9);
}

TEST(Crossovers, SpanUndecidedLevels) {
  const auto found =
      crossovers({point(0, -0.1, 0.05), point(1, -0.01, 0.05), point(2, 0.01, 0.05), point(3, 0.1, 0.05)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].at.value, 1.5, 1e-9);
  EXPECT_NEAR(found[0].at.range.low, 5.0 / 9, 1e-9);  // upper edge -0.05 -> 0.04
  EXPECT_NEAR(found[0].at.range.high, 2 + 4.0 / 9, 1e-9);
}

TEST(Crossovers, AreAtTheFirstChangeOfTheEstimate) {
  const auto found =
      crossovers({point(0, -0.1, 0.05), point(1, 0.02, 0.05), point(2, -0.02, 0.05), point(3, 0.1, 0.05)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].at.value, 5.0 / 6, 1e-9);
}

TEST(Crossovers, SpanLevelsThatAreTheSame) {
  const auto found = crossovers({point(0, -0.1, 0.01, 0.01), point(1, -0.004, 0.002, 0.01), point(2, 0.1, 0.01, 0.01)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].at.value, 1 + 0.004 / 0.104, 1e-9);
}

TEST(Crossovers, AreNotMadeOfDifferencesBelowTheMargin) {
  // Both intervals lie clear of 0, on different sides of it: the arms are the same at both levels.
  EXPECT_TRUE(crossovers({point(1, -0.004, 0.002, 0.01), point(2, 0.003, 0.002, 0.01)}).empty());
  EXPECT_TRUE(crossovers({point(1, -0.1, 0.002, 0.01), point(2, 0.003, 0.002, 0.01)}).empty());
}

TEST(Crossovers, NeedAFasterAndASlowerLevel) {
  EXPECT_TRUE(crossovers({point(1, -0.1, 0.01), point(2, 0.1, 0.2)}).empty());
  EXPECT_TRUE(crossovers({point(1, 0.1, 0.01), point(2, 0.2, 0.01)}).empty());
  EXPECT_TRUE(crossovers({}).empty());
  EXPECT_EQ(crossovers({point(1, 1, 0.1), point(2, -1, 0.1), point(3, 1, 0.1)}).size(), 2U);
}

}  // namespace
}  // namespace regatta::stats
