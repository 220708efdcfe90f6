#include "report/page/figures/quality_axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::report {
namespace {

analysis::Learning with(const char* metric) {
  analysis::Learning learning;
  learning.objective.metric = metric;
  learning.parts.validation = 200;
  return learning;
}

TEST(QualityAxis, PutsBetterAccuraciesHigherAndApartByTheirErrors) {
  const QualityAxis axis(with("validation_accuracy"), {0.5, 0.9, 0.99, 1.0});
  EXPECT_LT(axis.percent(0.99), axis.percent(0.98));
  EXPECT_NEAR(axis.percent(0.9) - axis.percent(0.99), axis.percent(0.5) - axis.percent(0.95), 1e-9)
      << "a tenth of the errors is a tenth of the errors";
  EXPECT_TRUE(std::isfinite(axis.percent(1.0))) << "no error at all is drawn as half a sample";
  EXPECT_THAT(axis.scale(), testing::HasSubstr("99 %"));
}

TEST(QualityAxis, PutsLowerLossesLower) {
  const QualityAxis axis(with("validation_loss"), {0.01, 1.0});
  EXPECT_GT(axis.percent(0.01), axis.percent(1.0));
  EXPECT_NEAR(axis.percent(0.1), (axis.percent(0.01) + axis.percent(1.0)) / 2, 1e-9);
}

TEST(QualityAxis, IsLinearWhereALogarithmHasNoPlace) {
  const QualityAxis axis(with("reward"), {-2.0, 0.0, 2.0});
  EXPECT_NEAR(axis.percent(0), (axis.percent(-2) + axis.percent(2)) / 2, 1e-9);
  const QualityAxis flat(with("reward"), {0.0, 0.0});
  EXPECT_TRUE(std::isfinite(flat.percent(0)));
}

}  // namespace
}  // namespace regatta::report
