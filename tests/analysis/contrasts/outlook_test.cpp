#include "analysis/contrasts/outlook.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::analysis {
namespace {

/// Log ratios of pairs as they were seen: one of seven is far off.
std::vector<ProcessPair> one_of_seven_off() {
  std::vector<ProcessPair> pairs;
  for (const double log_ratio : {-0.06, -0.09, -0.15, -0.13, 0.17, -0.04, -0.11}) pairs.push_back({log_ratio, 2});
  return pairs;
}

stats::JudgeOptions two_percent() {
  stats::JudgeOptions options;
  options.floor = 0.02;
  return options;
}

TEST(Outlook, CountsThePairsThatAVerdictTakesAndTheirTime) {
  const auto found = outlook(one_of_seven_off(), -0.09, two_percent(), 70);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->farthest, 0.26, 1e-9) << "from the median";
  EXPECT_EQ(found->more_pairs, 5) << "one pair that is off is an end of the interval until there are 12";
  EXPECT_DOUBLE_EQ(found->seconds, 10 * static_cast<double>(found->more_pairs));
}

TEST(Outlook, PromisesNothingAtTheMarginOrWithinWhatCallLengthsChange) {
  const auto at_margin = outlook(one_of_seven_off(), std::log1p(0.02) + 1e-4, two_percent(), 70);
  EXPECT_EQ(at_margin.value().more_pairs, 0);
  stats::JudgeOptions options;
  options.call_length_misfit = 0.2;
  EXPECT_EQ(outlook(one_of_seven_off(), -0.09, options, 70).value().more_pairs, 0);
}

TEST(Outlook, PromisesNothingWhereHalfOfThePairsSaysOtherwise) {
  std::vector<ProcessPair> pairs;
  for (const double log_ratio : {-0.2, 0.1, -0.2, 0.1, -0.2, 0.1, -0.2}) pairs.push_back({log_ratio, 2});
  EXPECT_EQ(outlook(pairs, -0.2, two_percent(), 70).value().more_pairs, 0);
}

TEST(Outlook, TakesSevenPairsAtLeast) {
  const auto found = outlook({{-0.5, 3}, {-0.5, 3}}, -0.5, {}, 20);
  EXPECT_EQ(found.value().more_pairs, 5);
  EXPECT_DOUBLE_EQ(found->seconds, 50);
}

TEST(Outlook, IsNothingWithoutAPair) { EXPECT_FALSE(outlook({}, 0, {}, 1)); }

}  // namespace
}  // namespace regatta::analysis
