#include "regatta/stats/time_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace regatta::stats {
namespace {

using Points = std::vector<std::pair<double, double>>;

TEST(RelativeLine, GoesThroughPointsOnALine) {
  const RelativeLine line = relative_line(Points{{1, 61}, {4, 64}, {32, 92}});  // 60 + x
  EXPECT_NEAR(line.intercept, 60, 1e-9);
  EXPECT_NEAR(line.slope, 1, 1e-9);
  EXPECT_NEAR(line.misfit, 0, 1e-9);
}

TEST(RelativeLine, WeighsShortTimesAsMuchAsLongOnes) {
  // By hand: weights 1, 1 and 1/16; sw = 33/16, sx = 3.25, sxx = 6, st = 9/4, sxt = 4: slope = (33/16 * 4 - 3.25 * 9/4)
  // / (33/16 * 6 - 3.25^2) = 0.9375 / 1.8125 = 15/29, intercept = (9/4 - 15/29 * 3.25) / (33/16).
  const RelativeLine line = relative_line(Points{{1, 1}, {2, 1}, {4, 4}});
  EXPECT_NEAR(line.slope, 15.0 / 29, 1e-12);
  EXPECT_NEAR(line.intercept, (9.0 / 4 - 15.0 / 29 * 3.25) / (33.0 / 16), 1e-12);
  EXPECT_NEAR(line.misfit, std::log(4 / (line.intercept + 4 * line.slope)), 1e-12);
}

TEST(RelativeLine, BelowZeroFitsNothing) {
  EXPECT_TRUE(std::isinf(relative_line(Points{{1, 5}, {2, 0.1}, {3, 0.5}}).misfit));
}

TEST(FitCallLengths, FindsCostPerCallAndPerStep) {
  std::vector<CallTime> calls;
  for (const double steps : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    calls.push_back({steps, 3e-3 + 2e-3 * steps - 1e-4});
    calls.push_back({steps, 3e-3 + 2e-3 * steps + 1e-4});  // the mean lies on the line
  }
  const auto fit = fit_call_lengths(calls);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->lengths, 5U);
  EXPECT_NEAR(fit->per_call_seconds, 3e-3, 1e-12);
  EXPECT_NEAR(fit->per_step_seconds, 2e-3, 1e-12);
  EXPECT_NEAR(fit->residual, 0, 1e-9);
}

TEST(FitCallLengths, SeesTimesThatSnapToAGrid) {
  std::vector<CallTime> calls;
  for (const double steps : {1.0, 3.0, 5.0, 7.0, 11.0, 23.0}) {
    calls.push_back({steps, std::exp2(std::ceil(std::log2(steps)))});
  }
  EXPECT_GT(fit_call_lengths(calls)->residual, 0.05);
}

TEST(FitCallLengths, CountsRelativeErrors) {
  std::vector<CallTime> calls;
  for (const double steps : {1.0, 2.0, 4.0, 8.0, 16.0}) calls.push_back({steps, 3 + 2 * steps});
  calls.push_back({1000, 2003 * 1.01});
  const auto fit = fit_call_lengths(calls);
  EXPECT_NEAR(fit->per_call_seconds, 3, 0.1);
  EXPECT_NEAR(fit->residual, 0.005, 0.005);
}

TEST(FitCallLengths, NeedsFourLengths) {
  EXPECT_FALSE(fit_call_lengths(std::vector<CallTime>{{1, 1}, {2, 2}, {2, 3}}));
  EXPECT_FALSE(fit_call_lengths({}));
}

TEST(FitCallLengths, IsNoFitWhereLongerCallsAreMuchShorter) {
  const auto fit = fit_call_lengths(std::vector<CallTime>{{1, 8}, {2, 1}, {3, 1}, {4, 1}, {40, 1e-3}});
  EXPECT_GT(fit->residual, 1);
}

constexpr double risk = 0.05;

/// a + b batch at batch 1, 4 and 32.
BatchTimes line(double calls, double row) { return {{1, calls + row}, {4, calls + 4 * row}, {32, calls + 32 * row}}; }

TEST(CallsAndRows, AreTheMediansOfTheLines) {
  const auto fit = fit_calls_and_rows(std::vector{line(58, 0.4), line(60, 0.5), line(50, 0.1)}, risk, 0);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->calls_seconds.value, 58, 1e-9);
  EXPECT_NEAR(fit->seconds_per_row, 0.4, 1e-9);
  EXPECT_NEAR(fit->misfit, 0, 1e-9);
  EXPECT_EQ(fit->lines, 3U);
}

TEST(CallsAndRows, HaveAnIntervalFromSevenLinesOn) {
  std::vector<BatchTimes> lines;
  for (const double calls : {54.0, 60.0, 56.0, 59.0, 55.0, 58.0}) lines.push_back(line(calls, 1));
  EXPECT_FALSE(fit_calls_and_rows(lines, risk, 0)->calls_seconds.range.finite());
  lines.push_back(line(57, 1));  // 7 values: the smallest and the largest
  const auto fit = fit_calls_and_rows(lines, risk, 0);
  EXPECT_NEAR(fit->calls_seconds.value, 57, 1e-9);
  EXPECT_NEAR(fit->calls_seconds.range.low, 54, 1e-9);
  EXPECT_NEAR(fit->calls_seconds.range.high, 60, 1e-9);
}

TEST(CallsAndRows, WidenWhatTheSameProcessesCannotTell) {
  const std::vector<BatchTimes> lines(7, line(99, 1));
  const auto fit = fit_calls_and_rows(lines, risk, 0.01);  // 1 % of the 100 that a step takes at batch 1
  EXPECT_NEAR(fit->calls_seconds.range.low, 98, 1e-9);
  EXPECT_NEAR(fit->calls_seconds.range.high, 100, 1e-9);
}

TEST(CallsAndRows, SayHowFarABentLineMisses) {
  const auto fit = fit_calls_and_rows(std::vector<BatchTimes>{{{1, 1}, {2, 1}, {4, 4}}}, risk, 0);
  EXPECT_GT(fit->misfit, 0.3);
}

TEST(CallsAndRows, NeedTwoBatchesAndTimesAboveZero) {
  EXPECT_FALSE(fit_calls_and_rows(std::vector<BatchTimes>{{{4, 1}}, {{4, 1}, {4, 2}}, {}}, risk, 0));
  EXPECT_FALSE(fit_calls_and_rows(std::vector<BatchTimes>{{{1, 0}, {4, 2}}}, risk, 0));
  const auto two = fit_calls_and_rows(std::vector<BatchTimes>{{{1, 3}, {5, 11}}}, risk, 0);
  ASSERT_TRUE(two);
  EXPECT_NEAR(two->calls_seconds.value, 1, 1e-12);
  EXPECT_NEAR(two->seconds_per_row, 2, 1e-12);
}

}  // namespace
}  // namespace regatta::stats
