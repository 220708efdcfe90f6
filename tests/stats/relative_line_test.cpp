#include "stats/relative_line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

using Points = std::vector<std::pair<double, double>>;

TEST(RelativeLine, GoesThroughPointsOnALine) {
  const RelativeLine line = relative_line(Points{{1, 61}, {4, 64}, {32, 92}});  // 60 + x
  EXPECT_NEAR(line.intercept, 60, 1e-9);
  EXPECT_NEAR(line.slope, 1, 1e-9);
  EXPECT_NEAR(line.misfit, 0, 1e-9);
}

TEST(RelativeLine, WeighsShortTimesAsMuchAsLongOnes) {
  // By hand: weights 1, 1 and 1/16; sw = 33/16, sx = 3.25, sxx = 6, st = 9/4, sxt = 4: slope = (33/16 * 4 - 3.25 * 9/4)
  // / (33/16 * 6 - 3.25^2) = 0.9375 / 1.8125 = 15/29, intercept = (9/4 - 15/29 * 3.25) / (33/16).
  const RelativeLine line = relative_line(Points{{1, 1}, {2, 1}, {4, 4}});
  EXPECT_NEAR(line.slope, 15.0 / 29, 1e-12);
  EXPECT_NEAR(line.intercept, (9.0 / 4 - 15.0 / 29 * 3.25) / (33.0 / 16), 1e-12);
  EXPECT_NEAR(line.misfit, std::log(4 / (line.intercept + 4 * line.slope)), 1e-12);
}

TEST(RelativeLine, BelowZeroFitsNothing) {
  EXPECT_TRUE(std::isinf(relative_line(Points{{1, 5}, {2, 0.1}, {3, 0.5}}).misfit));
}

}  // namespace
}  // namespace regatta::stats
