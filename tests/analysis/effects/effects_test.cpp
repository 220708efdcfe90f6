#include "analysis/effects/effects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/hand_made.hpp"

namespace regatta::analysis {
namespace {

using testing::ElementsAre;
using testing_support::HandMade;

TEST(Effects, GiveTheRangeAndTheGeometricMeanOfEqualWeights) {
  HandMade made;
  made.contrast(1, 2, 1.1);
  made.contrast(32, 4, 1.1);
  const auto found = made.effects();
  ASSERT_EQ(found.effects.size(), 1U);
  const Effect& effect = found.effects[0];
  EXPECT_EQ(effect.a, "eager");
  EXPECT_EQ(effect.b, "graph");
  EXPECT_EQ(effect.least, 0U);
  EXPECT_EQ(effect.most, 1U);
  const double mean = std::sqrt(8.0);
  EXPECT_NEAR(effect.mean.value().value, mean, 1e-9);
  EXPECT_NEAR(effect.mean->range.high, mean * std::pow(1.1, std::sqrt(0.5)), 1e-9);  // sqrt(2 x log(1.1)^2) / 2
  EXPECT_NEAR(effect.mean->range.low, mean / std::pow(1.1, std::sqrt(0.5)), 1e-9);
}

TEST(Effects, CountEachSettingAlikeHoweverLongItWasMeasured) {
  HandMade made;
  made.contrast(1, 2, 1.1, 28);
  made.contrast(32, 4, 1.21, 7);
  EXPECT_NEAR(made.effects().effects[0].mean.value().value, std::sqrt(8.0), 1e-9);
}

TEST(Effects, HaveNoMeanOfOneInterval) {
  HandMade made;
  made.contrast(1, 2, 1.1);
  made.contrast(32, 3, 1.1);
  made.contrasts.contrasts[1].low.reset();
  EXPECT_FALSE(made.effects().effects[0].mean);
  EXPECT_FALSE(made.effects().effects[0].too_unlike);
}

TEST(Effects, HaveNoMeanOfRatiosFarApart) {
  HandMade made;
  made.contrast(1, 2, 1.1);
  made.contrast(32, 4.1, 1.1);
  EXPECT_FALSE(made.effects().effects[0].mean);
  EXPECT_TRUE(made.effects().effects[0].too_unlike);
}

TEST(Effects, HaveNoMeanOverModels) {
  HandMade made;
  made.contrast(std::nullopt, 2, 1.1, 7, "mlp-10");
  made.contrast(std::nullopt, 3, 1.1, 7, "mlp-784");
  EXPECT_FALSE(made.effects().effects[0].mean);
}

TEST(Effects, HaveNoMeanWhereASettingHasNoInterval) {
  HandMade made;
  made.contrast(1, 2, 1.1);
  made.contrast(8, 2.5, 1.1);
  made.contrast(32, 3, 1.1);
  made.contrasts.contrasts[1].low.reset();
  EXPECT_FALSE(made.effects().effects[0].mean);
}

TEST(Effects, KnowAReversal) {
  HandMade made;
  made.contrast(std::nullopt, 0.5, 1.1, 7, "mlp-10");
  made.contrast(std::nullopt, 2, 1.1, 7, "mlp-784");
  const auto found = made.effects();
  const Effect& effect = found.effects[0];
  EXPECT_TRUE(effect.reverses());
  EXPECT_THAT(effect.faster, ElementsAre(0U));
  EXPECT_THAT(effect.slower, ElementsAre(1U));
}

TEST(Effects, WhatIsNotKnownYetReversesNothing) {
  HandMade made;
  made.contrast(1, 0.5, 1.1);
  made.contrast(32, 2, 1.1);
  made.contrasts.contrasts[1].verdict = stats::Verdict::undecided;
  EXPECT_FALSE(made.effects().effects[0].reverses());
}

TEST(Effects, OfNothingAreNone) { EXPECT_TRUE(HandMade().effects().effects.empty()); }

}  // namespace
}  // namespace regatta::analysis
