#include "regatta/stats/two_samples.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

TEST(RankSum, CountsOrders) {
  // In the 6 orders of two x and two y, x < y holds for 0, 1, 2, 2, 3, 4 pairs.
  EXPECT_DOUBLE_EQ(rank_sum_probability(2, 2, 0), 1.0 / 6);
  EXPECT_DOUBLE_EQ(rank_sum_probability(2, 2, 1), 2.0 / 6);
  EXPECT_DOUBLE_EQ(rank_sum_probability(2, 2, 2), 4.0 / 6);
  EXPECT_DOUBLE_EQ(rank_sum_probability(2, 2, 3), 5.0 / 6);
  EXPECT_DOUBLE_EQ(rank_sum_probability(2, 2, 4), 1);
  EXPECT_NEAR(rank_sum_probability(7, 7, 0), 1.0 / 3432, 1e-12);
}

TEST(RankSum, HasTheTabulatedCriticalValues) {
  // Two-sided 5 %: U = 8 at 7 and 7, 64 at 15 and 15, 18 at 7 and 12.
  for (const auto& [x, y, critical] : {std::array<std::size_t, 3>{7, 7, 8}, {15, 15, 64}, {7, 12, 18}}) {
    EXPECT_LE(rank_sum_probability(x, y, critical), 0.025);
    EXPECT_GT(rank_sum_probability(x, y, critical + 1), 0.025);
    EXPECT_NEAR(rank_sum_probability(x, y, critical), rank_sum_probability(y, x, critical), 1e-12);
  }
}

TEST(RankSum, GoesOverIntoTheNormalApproximation) {
  const std::size_t count = 4200;  // among 100 x 100 pairs
  const double exact = rank_sum_probability(100, 100, count);
  const double normal = rank_sum_probability(100, 101, count + 42);
  EXPECT_NEAR(exact, normal, 0.002);
  EXPECT_NEAR(exact, 0.0254, 0.0005);  // (5000 - 4200.5) / 409.3 = 1.953 deviations
}

TEST(Shift, IsTheMedianDifference) {
  const std::vector<double> x = {1, 2, 10};
  const std::vector<double> y = {0, 1};
  EXPECT_DOUBLE_EQ(shift(x, y).value, 1.5);  // median of 0, 1, 1, 2, 9, 10
  EXPECT_EQ(shift(x, y).range, Range{});
  EXPECT_TRUE(std::isnan(shift(x, {}).value));
}

TEST(Shift, HasTheNinthDifferencesAsItsIntervalAtSevenAndSeven) {
  // x = 10 i, y = j with i, j = 1 .. 7: all 49 differences differ.
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 1; i <= 7; ++i) {
    x.push_back(10 * i);
    y.push_back(i);
  }
  // Ascending: 3 .. 9 (x = 10), then 13, 14: the ninth is 14. Descending: 69 .. 63, then 59, 58.
  const Estimate found = shift(x, y);
  EXPECT_DOUBLE_EQ(found.value, 36);
  EXPECT_DOUBLE_EQ(found.range.low, 14);
  EXPECT_DOUBLE_EQ(found.range.high, 58);
  x.pop_back();
  EXPECT_EQ(shift(x, y).range, Range{}) << "six values";
}

TEST(ShiftPValue, ComparesWithTheWholeBound) {
  const std::vector<double> y = {1, 2, 3, 4, 5, 6, 7};
  std::vector<double> x = {11, 12, 13, 14, 15, 16, 17};  // smallest difference 4
  EXPECT_NEAR(shift_p_value(x, y, 3.9), 2.0 / 3432, 1e-12);
  EXPECT_NEAR(shift_p_value(x, y, 4), 2 * 2.0 / 3432, 1e-12) << "one difference is not above the bound";
  EXPECT_NEAR(shift_p_value(y, x, 3.9), 2.0 / 3432, 1e-12) << "the other side";
  EXPECT_EQ(shift_p_value(x, y, 10), 1);
  EXPECT_EQ(shift_p_value(x, {}, 0), 1);
}

}  // namespace
}  // namespace regatta::stats
