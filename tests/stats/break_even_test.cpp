#include "regatta/stats/break_even.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

TEST(ColdStart, NeedsSevenProcesses) {
  EXPECT_FALSE(cold_start(std::vector<double>{1, 2, 3, 4, 5, 6}));
  const auto cold = cold_start(std::vector<double>{7, 2, 3, 4, 5, 6, 1});
  ASSERT_TRUE(cold);
  EXPECT_EQ(cold->value, 4);
  EXPECT_EQ(cold->range, (Range{1, 7}));
}

TEST(BreakEven, IsCostOverSaving) {
  // Compiling costs 10 s (9 to 11) more than 1 s (1 to 2), a step saves 3 - 2.5 s.
  const auto even = break_even({10, {9, 11}}, {1, {1, 2}}, {2.5, {2.4, 2.6}}, {3, {2.9, 3.1}});
  EXPECT_FALSE(even.never || even.from_start);
  EXPECT_DOUBLE_EQ(even.steps.value, 18);              // 9 / 0.5
  EXPECT_NEAR(even.steps.range.low, 10, 1e-9);         // (9 - 2) / (3.1 - 2.4)
  EXPECT_NEAR(even.steps.range.high, 10 / 0.3, 1e-9);  // (11 - 1) / (2.9 - 2.6)
}

TEST(BreakEven, IsNeverWithoutASaving) {
  const auto even = break_even({10, {9, 11}}, {1, {1, 2}}, {3, {2.9, 3.1}}, {2.9, {2.8, 3}});
  EXPECT_TRUE(even.never);
  EXPECT_TRUE(std::isinf(even.steps.value));
  EXPECT_FALSE(std::isinf(even.steps.range.low)) << "a may still save a little";
  EXPECT_TRUE(std::isinf(break_even({9, {9, 9}}, {1, {1, 1}}, {3, {3, 3}}, {2, {2, 2}}).steps.range.low));
}

TEST(BreakEven, HasNoUpperEndIfTheSavingIsNotSure) {
  const auto even = break_even({10, {9, 11}}, {1, {1, 2}}, {2.8, {2.7, 2.95}}, {3, {2.9, 3.1}});
  EXPECT_FALSE(even.never);
  EXPECT_NEAR(even.steps.value, 45, 1e-9);
  EXPECT_TRUE(std::isinf(even.steps.range.high));
}

TEST(BreakEven, IsAtTheStartIfNothingHasToBePaid) {
  const auto even = break_even({1, {1, 1}}, {2, {2, 2}}, {1, {1, 1}}, {2, {2, 2}});
  EXPECT_TRUE(even.from_start);
  EXPECT_EQ(even.steps.value, 0);
  EXPECT_EQ(even.steps.range.high, 0);
}

}  // namespace
}  // namespace regatta::stats
