#include "regatta/stats/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace regatta::stats {
namespace {

TEST(Median, TakesTheMiddleOfUnsortedValues) {
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  // numpy.quantile([10, 20, 30, 40], q)
  EXPECT_EQ(quantile({40, 10, 30, 20}, 0), 10);
  EXPECT_EQ(quantile({40, 10, 30, 20}, 1), 40);
  EXPECT_DOUBLE_EQ(*quantile({40, 10, 30, 20}, 0.95), 38.5);
  EXPECT_DOUBLE_EQ(*quantile({40, 10, 30, 20}, 0.25), 17.5);
}

TEST(Quantile, IsNothingWithoutValuesOrOutsideTheRange) {
  EXPECT_FALSE(quantile({}, 0.5));
  EXPECT_FALSE(quantile({1, 2}, -0.1));
  EXPECT_FALSE(quantile({1, 2}, 1.1));
  EXPECT_FALSE(quantile({1, 2}, std::numeric_limits<double>::quiet_NaN()));
}

TEST(Mean, IsNothingForNoValues) {
  EXPECT_FALSE(mean({}));
  EXPECT_EQ(mean({1, 2, 6}), 3);
}

}  // namespace
}  // namespace regatta::stats
