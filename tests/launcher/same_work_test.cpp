#include "same_work.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace regatta::launcher {
namespace {

TEST(SameWork, AcceptsRoundingAndRefusesMore) {
  EXPECT_EQ(difference({{1.0, 2.0}}, {{1.0005, 2.0}}), "");
  EXPECT_EQ(difference({{1.0, 2.0}, {1.0, 4.0}}, {{1.0, 2.0}, {1.0, 3.0}}),
            "step 2, sample 1: losses 4 and 3 differ by 0.25 (relative; tolerance 0.001)");
}

TEST(SameWork, ComparesSmallLossesAbsolutely) {
  EXPECT_EQ(difference({{1e-7}}, {{3e-7}}), "");
  EXPECT_NE(difference({{1e-3}}, {{3e-3}}), "");
}

TEST(SameWork, NanIsADifference) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(difference({{nan}}, {{nan}}), "");
}

TEST(SameWork, RefusesLossesThatAreMissing) {
  EXPECT_NE(difference({}, {}), "");
  EXPECT_NE(difference({{1.0}}, {{1.0}, {1.0}}), "");
  EXPECT_NE(difference({{1.0}}, {{1.0, 1.0}}), "");
  EXPECT_NE(difference({{}}, {{}}), "");
}

TEST(SameWork, OnlyTrialsThatDifferInHowTheyComputeMustAgree) {
  using sweep::Param;
  sweep::Parameters a;
  a[Param::work] = std::string("train");
  a[Param::batch] = std::int64_t{32};
  a[Param::engine] = std::string("native");
  sweep::Parameters b = a;
  b[Param::engine] = std::string("numpy");
  EXPECT_TRUE(comparable(a, b));
  b[Param::batch] = std::int64_t{64};
  EXPECT_FALSE(comparable(a, b));
  a[Param::work] = std::string("infer");
  EXPECT_FALSE(comparable(a, a));
}

}  // namespace
}  // namespace regatta::launcher
