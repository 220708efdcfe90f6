#include <gtest/gtest.h>

#include "analysis/hand_made.hpp"

namespace regatta::analysis {
namespace {

using testing_support::HandMade;

TEST(Crossings, LieWhereTheLineThroughTheLogsCrossesZero) {
  HandMade made;
  made.contrast(1, 0.25, 2);  // log2: -2 [-3, -1] at 0
  made.contrast(16, 4, 2);    // log2: 2 [1, 3] at 4
  const auto found = made.effects().crossings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].below, "eager");
  EXPECT_EQ(found[0].above, "graph");
  EXPECT_EQ(found[0].axis, sweep::Param::batch);
  EXPECT_NEAR(found[0].at.value, 4, 1e-9);
  EXPECT_NEAR(found[0].at.range.low, 2, 1e-9);   // the upper edge, -1 to 3
  EXPECT_NEAR(found[0].at.range.high, 8, 1e-9);  // the lower edge, -3 to 1
}

TEST(Crossings, NameTheBaselineBelowIfItIsFasterThere) {
  HandMade made;
  made.contrast(1024, 0.25, 2);
  made.contrast(64, 4, 2);
  const auto found = made.effects().crossings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].below, "graph");
  EXPECT_EQ(found[0].above, "eager");
  EXPECT_NEAR(found[0].at.value, 256, 1e-9);
}

TEST(Crossings, AreFoundInEachSettingApart) {
  HandMade made;
  made.contrast(1, 0.25, 2, 7, "mlp-10");
  made.contrast(16, 4, 2, 7, "mlp-784");  // another model: no line between them
  EXPECT_TRUE(made.effects().crossings.empty());
  made.contrast(16, 4, 2, 7, "mlp-10");
  const auto found = made.effects().crossings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].where, "mlp-10");
}

TEST(Crossings, NeedVerdictsOnBothSides) {
  HandMade made;
  made.contrast(1, 0.25, 2);
  made.contrast(16, 4, 2).verdict = stats::Verdict::undecided;
  EXPECT_TRUE(made.effects().crossings.empty());
  made.contrasts.contrasts.back().verdict = stats::Verdict::same;
  EXPECT_TRUE(made.effects().crossings.empty());
}

TEST(Crossings, AreNotFoundAlongRepeats) {
  HandMade made;
  made.contrast(1, 0.25, 2);
  made.contrast(1, 4, 2);
  for (const std::size_t trial : {0U, 1U, 2U, 3U})
    made.made.results.trials[trial].parameters[sweep::Param::repeat] = static_cast<std::int64_t>(trial / 2);
  EXPECT_TRUE(made.effects().crossings.empty());
}

}  // namespace
}  // namespace regatta::analysis
