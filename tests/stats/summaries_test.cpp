#include "regatta/stats/summaries.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace regatta::stats {
namespace {

TEST(Median, TakesTheMiddleOfUnsortedValues) {
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(CoveredSeconds, CountOverlapsOnce) {
  EXPECT_EQ(covered_seconds({{5, 6}, {0, 2}, {1, 3}, {1, 1.5}}), 4);
  EXPECT_EQ(covered_seconds({}), 0);
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

const std::vector<Estimate> both = {{1, {0.9, 1.1}}, {2, {1.8, 2.2}}};  // half widths 0.1 and 0.2

TEST(Pooled, WeighsEqually) {
  const Estimate found = pooled(both);
  EXPECT_DOUBLE_EQ(found.value, 1.5);
  const double half = std::sqrt(0.01 + 0.04) / 2;
  EXPECT_NEAR(found.range.low, 1.5 - half, 1e-12);
  EXPECT_NEAR(found.range.high, 1.5 + half, 1e-12);
}

TEST(Pooled, ExactOnesDoNotOutweighOthers) {
  const std::vector<Estimate> strata = {{1, {1, 1}}, {5, {4, 6}}, {3, {3, 3}}};
  EXPECT_DOUBLE_EQ(pooled(strata).value, 3);
}

TEST(Pooled, OfNothingIsUnknown) { EXPECT_TRUE(std::isnan(pooled({}).value)); }

TEST(Student, HalfWidthsAreThoseOfTheTables) {
  EXPECT_NEAR(student_half_width(1), 12.706, 5e-4);
  EXPECT_NEAR(student_half_width(3), 3.182, 5e-4);
  EXPECT_NEAR(student_half_width(11, 0.01), 3.106, 5e-4);
  EXPECT_NEAR(student_half_width(1e6), 1.960, 5e-4);
}

TEST(Student, NothingIsKnownWithoutDegreesOfFreedom) { EXPECT_TRUE(std::isinf(student_half_width(0))); }

TEST(Student, MeanHasItsInterval) {
  const std::vector<double> values = {1, 2, 3};
  const Estimate found = student_mean(values);
  EXPECT_DOUBLE_EQ(found.value, 2);
  EXPECT_NEAR(found.range.high, 2 + 4.3027 / std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(found.range.low, 2 - 4.3027 / std::sqrt(3.0), 1e-4);
}

TEST(Student, MeanOfOneValueHasNoIntervalAndOfNoneNoValue) {
  const std::vector<double> one = {4};
  EXPECT_DOUBLE_EQ(student_mean(one).value, 4);
  EXPECT_FALSE(student_mean(one).range.finite());
  EXPECT_TRUE(std::isnan(student_mean({}).value));
}

TEST(RobustSpread, IsTheInterquartileRangeInStandardDeviations) {
  EXPECT_NEAR(robust_spread(std::vector<double>{0, 1, 2, 3, 1000}), 2 / 1.349, 1e-4);
  EXPECT_EQ(robust_spread(std::vector<double>{5}), 0);
}

}  // namespace
}  // namespace regatta::stats
