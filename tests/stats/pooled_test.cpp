#include "regatta/stats/pooled.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

const std::vector<Estimate> two = {{1, {0.9, 1.1}}, {2, {1.8, 2.2}}};  // half widths 0.1 and 0.2

TEST(Pooled, WeighsEqually) {
  const Estimate found = pooled(two);
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

}  // namespace
}  // namespace regatta::stats
