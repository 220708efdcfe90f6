#include "regatta/stats/pooled.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

const std::vector<Estimate> two = {{1, {0.9, 1.1}}, {2, {1.8, 2.2}}};  // half widths 0.1 and 0.2

TEST(Pooled, WeighsEquallyIfAsked) {
  const Estimate found = pooled(two, Weights::equal);
  EXPECT_DOUBLE_EQ(found.value, 1.5);
  const double half = std::sqrt(0.01 + 0.04) / 2;
  EXPECT_NEAR(found.range.low, 1.5 - half, 1e-12);
  EXPECT_NEAR(found.range.high, 1.5 + half, 1e-12);
}

TEST(Pooled, WeighsByInverseVariance) {
  const Estimate found = pooled(two, Weights::inverse_variance);
  EXPECT_NEAR(found.value, (100 * 1 + 25 * 2) / 125.0, 1e-12);
  EXPECT_NEAR(found.range.high - found.value, std::sqrt(1 / 125.0), 1e-12);
}

TEST(Pooled, ExactOnesOutweighAllOthers) {
  const std::vector<Estimate> strata = {{1, {1, 1}}, {5, {4, 6}}, {3, {3, 3}}};
  const Estimate found = pooled(strata, Weights::inverse_variance);
  EXPECT_DOUBLE_EQ(found.value, 2);
  EXPECT_EQ(found.range, (Range{2, 2}));
}

TEST(Pooled, OfNothingIsUnknown) { EXPECT_TRUE(std::isnan(pooled({}, Weights::equal).value)); }

}  // namespace
}  // namespace regatta::stats
