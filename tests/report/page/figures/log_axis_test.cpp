#include <gtest/gtest.h>

#include <limits>

#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

TEST(LogAxis, PlacesEqualRatiosAtEqualDistances) {
  const LogAxis axis({1, 100}, 0, 100);
  EXPECT_DOUBLE_EQ(axis.percent(1), 0);
  EXPECT_DOUBLE_EQ(axis.percent(10), 50);
  EXPECT_DOUBLE_EQ(axis.percent(100), 100);
}

TEST(LogAxis, CanRunDownwards) {
  const LogAxis axis({1, 100}, 90, 10);
  EXPECT_DOUBLE_EQ(axis.percent(1), 90);
  EXPECT_DOUBLE_EQ(axis.percent(100), 10);
}

TEST(LogAxis, KeepsEqualAndUselessValuesInside) {
  const LogAxis equal({2, 2}, 0, 100);
  EXPECT_NEAR(equal.percent(2), 50, 1e-9);
  const LogAxis useless({0, -1, std::numeric_limits<double>::quiet_NaN()}, 0, 100);
  EXPECT_GE(useless.percent(5), 0);
  EXPECT_LE(useless.percent(1e9), 100);
}

TEST(LogAxis, TicksAreRoundFewAndInside) {
  for (const double high : {1.05, 1.3, 2.0, 7.0, 60.0, 1e4, 1e9}) {
    const auto ticks = LogAxis({1, high}, 0, 100).ticks(6);
    EXPECT_GE(ticks.size(), 1U) << high;
    EXPECT_LE(ticks.size(), 6U) << high;
    for (const double tick : ticks) EXPECT_LE(tick, std::max(high, 1.2) * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace regatta::report
