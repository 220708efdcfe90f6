#include <gtest/gtest.h>

#include <vector>

#include "analysis/judging/judging.hpp"
#include "regatta/analysis/contrasts.hpp"
#include "report/full_results.hpp"

namespace regatta::analysis {
namespace {

std::vector<stats::SliceValue> slices(const std::vector<double>& seconds) {
  std::vector<stats::SliceValue> made;
  for (const double each : seconds) made.push_back({.seconds = each});
  return made;
}

TEST(PlainLoops, CompareTheFirstHalfOfOneWithTheSecondHalfOfTheOther) {
  // A machine that becomes 10 % slower half-way: taking turns both take the same, one after the other they differ.
  const auto drifting = slices({1, 1.01, 0.99, 1.1, 1.11, 1.09});
  const auto plain = plain_loops(drifting, drifting);
  ASSERT_TRUE(plain);
  EXPECT_NEAR(plain->ratio, 1.1, 1e-9);
  EXPECT_TRUE(plain->tells_apart());
  EXPECT_LT(plain->low, plain->ratio);
  EXPECT_GT(plain->high, plain->ratio);
}

TEST(PlainLoops, TellNothingApartWithinTheirErrors) {
  const auto steady = slices({1, 1.1, 0.9, 1, 1.1, 0.9});
  const auto plain = plain_loops(steady, steady);
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tells_apart());
}

TEST(PlainLoops, NeedTwoSlicesInEachHalf) {
  EXPECT_FALSE(plain_loops(slices({1, 1, 1}), slices({1, 1, 1})));
  EXPECT_TRUE(plain_loops(slices({1, 1, 1, 1}), slices({1, 1, 1, 1})));
}

TEST(Clones, StandInTheContrastsOneByOne) {
  const auto results = testing_support::full_results();
  const auto found = contrasts(results);
  ASSERT_EQ(found.clones.size(), 1U);
  EXPECT_EQ(found.clones[0].trial, TrialIndex{0});
  EXPECT_EQ(found.clones[0].squares, 8);
  EXPECT_NEAR(found.clones[0].ratio, 1, 0.03);
  EXPECT_TRUE(found.clones[0].plain);
  EXPECT_EQ(found.identical.same + found.identical.undecided + found.identical.wrong, 1);
}

}  // namespace
}  // namespace regatta::analysis
