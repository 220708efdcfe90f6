#include "regatta/results/leg_values.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::results {
namespace {

TEST(LegValues, StandAsTheCurvesMetricsDo) {
  const sweep::Curve curve{{"train_loss", "f1"}, {}};
  EXPECT_EQ(value_of(curve, {0.5, 0.9}, "f1"), 0.9);
  EXPECT_TRUE(std::isnan(value_of(curve, {0.5, 0.9}, "auc"))) << "it has none of it";
  EXPECT_TRUE(std::isnan(value_of(curve, {0.5}, "f1"))) << "a point that says less";
  EXPECT_TRUE(std::isnan(value_of(curve, {}, "train_loss"))) << "no best evaluation";
}

}  // namespace
}  // namespace regatta::results
