#include "regatta/stats/calls_and_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::stats {
namespace {

constexpr double alpha = 0.05;

/// a + b batch at batch 1, 4 and 32.
BatchTimes line(double calls, double row) { return {{1, calls + row}, {4, calls + 4 * row}, {32, calls + 32 * row}}; }

TEST(CallsAndRows, AreTheMediansOfTheLines) {
  const auto fit = fit_calls_and_rows(std::vector{line(58, 0.4), line(60, 0.5), line(50, 0.1)}, alpha, 0);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->calls_seconds.value, 58, 1e-9);
  EXPECT_NEAR(fit->seconds_per_row, 0.4, 1e-9);
  EXPECT_NEAR(fit->misfit, 0, 1e-9);
  EXPECT_EQ(fit->lines, 3U);
}

TEST(CallsAndRows, HaveAnIntervalFromSevenLinesOn) {
  std::vector<BatchTimes> lines;
  for (const double calls : {54.0, 60.0, 56.0, 59.0, 55.0, 58.0}) lines.push_back(line(calls, 1));
  EXPECT_FALSE(fit_calls_and_rows(lines, alpha, 0)->calls_seconds.range.finite());
  lines.push_back(line(57, 1));  // 7 values: the smallest and the largest
  const auto fit = fit_calls_and_rows(lines, alpha, 0);
  EXPECT_NEAR(fit->calls_seconds.value, 57, 1e-9);
  EXPECT_NEAR(fit->calls_seconds.range.low, 54, 1e-9);
  EXPECT_NEAR(fit->calls_seconds.range.high, 60, 1e-9);
}

TEST(CallsAndRows, WidenWhatTheSameProcessesCannotTell) {
  const std::vector<BatchTimes> lines(7, line(99, 1));
  const auto fit = fit_calls_and_rows(lines, alpha, 0.01);  // 1 % of the 100 that a step takes at batch 1
  EXPECT_NEAR(fit->calls_seconds.range.low, 98, 1e-9);
  EXPECT_NEAR(fit->calls_seconds.range.high, 100, 1e-9);
}

TEST(CallsAndRows, SayHowFarABentLineMisses) {
  const auto fit = fit_calls_and_rows(std::vector<BatchTimes>{{{1, 1}, {2, 1}, {4, 4}}}, alpha, 0);
  EXPECT_GT(fit->misfit, 0.3);
}

TEST(CallsAndRows, NeedTwoBatchesAndTimesAboveZero) {
  EXPECT_FALSE(fit_calls_and_rows(std::vector<BatchTimes>{{{4, 1}}, {{4, 1}, {4, 2}}, {}}, alpha, 0));
  EXPECT_FALSE(fit_calls_and_rows(std::vector<BatchTimes>{{{1, 0}, {4, 2}}}, alpha, 0));
  const auto two = fit_calls_and_rows(std::vector<BatchTimes>{{{1, 3}, {5, 11}}}, alpha, 0);
  ASSERT_TRUE(two);
  EXPECT_NEAR(two->calls_seconds.value, 1, 1e-12);
  EXPECT_NEAR(two->seconds_per_row, 2, 1e-12);
}

}  // namespace
}  // namespace regatta::stats
