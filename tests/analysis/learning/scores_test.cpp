#include "analysis/learning/scores.hpp"

#include <gtest/gtest.h>

namespace regatta::analysis {
namespace {

TEST(Scores, PairsBySeedAndNotByPlace) {
  const auto first = figure_of({{1, 0.5}, {2, 0.6}, {3, 0.7}, {9, 0}});
  const auto second = figure_of({{0, 9}, {1, 0.4}, {2, 0.5}, {3, 0.6}});
  const Paired both = paired(first, second, 0.05);
  EXPECT_EQ(both.pairs, 3U);
  EXPECT_NEAR(both.difference.value, 0.1, 1e-12);
  EXPECT_NEAR(both.correlation.value_or(0), 1, 1e-12);
}

TEST(Scores, HaveNoCorrelationWhereNothingVaries) {
  const auto still = figure_of({{1, 0.5}, {2, 0.5}, {3, 0.5}});
  EXPECT_FALSE(paired(still, still, 0.05).correlation);
}

}  // namespace
}  // namespace regatta::analysis
