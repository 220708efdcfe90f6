#include "regatta/sweep/judging.hpp"

#include <gtest/gtest.h>

namespace regatta::sweep {
namespace {

TEST(JudgeOptions, AreWhatTheSweepFileSays) {
  Measure measure;
  measure.margin = 0.02;
  measure.half_width = 0.03;
  measure.relative_half_width = 0.2;
  const auto options = judge_options(measure);
  EXPECT_EQ(options.margin, 0.02);
  EXPECT_EQ(options.half_width, 0.03);
  EXPECT_EQ(options.relative_half_width, 0.2);
  EXPECT_EQ(options.floor, 0) << "unknown until clones tell";
  EXPECT_EQ(options.process_effect, 0);
}

TEST(JudgeOptions, WithoutAWordAreTheDefaultsOfTheRules) {
  const auto options = judge_options({});
  const stats::JudgeOptions defaults;
  EXPECT_EQ(options.margin, defaults.margin);
  EXPECT_EQ(options.half_width, defaults.half_width);
  EXPECT_EQ(options.relative_half_width, defaults.relative_half_width);
}

}  // namespace
}  // namespace regatta::sweep
