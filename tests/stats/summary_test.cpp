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

TEST(Variance, DividesByOneLessThanTheCount) {
  EXPECT_FALSE(variance({}));
  EXPECT_FALSE(variance({3}));
  EXPECT_DOUBLE_EQ(*variance({2, 4, 4, 4, 5, 5, 7, 9}), 32.0 / 7);
}

TEST(Variance, SurvivesALargeOffset) {
  // One pass with sums of squares would lose every digit here.
  EXPECT_DOUBLE_EQ(*variance({1e9 + 1, 1e9 + 2, 1e9 + 3}), 1);
}

TEST(MeanInterval, IsStudentsT) {
  // Mean 3, standard deviation sqrt(2.5), t(0.975; 4) = 2.7764451: half width 2.7764451 * sqrt(2.5 / 5).
  const auto interval = mean_interval({1, 2, 3, 4, 5}, 0.95);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->n, 5U);
  EXPECT_DOUBLE_EQ(interval->mean, 3);
  EXPECT_NEAR(interval->high - 3, 2.7764451 * std::sqrt(0.5), 1e-7);
  EXPECT_NEAR(3 - interval->low, 2.7764451 * std::sqrt(0.5), 1e-7);
}

TEST(MeanInterval, WidensWithConfidence) {
  // t(0.995; 4) = 4.6040949
  EXPECT_NEAR(mean_interval({1, 2, 3, 4, 5}, 0.99)->high - 3, 4.6040949 * std::sqrt(0.5), 1e-7);
}

TEST(MeanInterval, IsNothingBelowTwoFiniteValues) {
  EXPECT_FALSE(mean_interval({1}, 0.95));
  EXPECT_FALSE(mean_interval({1, std::numeric_limits<double>::infinity()}, 0.95));
  EXPECT_FALSE(mean_interval({1, 2}, 1));
}

TEST(MeanInterval, OfEqualValuesHasNoWidth) {
  const auto interval = mean_interval({2, 2, 2}, 0.95);
  EXPECT_EQ(interval->low, 2);
  EXPECT_EQ(interval->high, 2);
}

}  // namespace
}  // namespace regatta::stats
