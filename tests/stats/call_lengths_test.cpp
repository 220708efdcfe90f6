#include "regatta/stats/call_lengths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

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
  EXPECT_FALSE(fit_call_lengths(std::vector<CallTime>{{1, 1}, {2, 2}, {3, 3}, {3, 4}}));
  EXPECT_FALSE(fit_call_lengths({}));
}

TEST(FitCallLengths, IsNoFitWhereLongerCallsAreMuchShorter) {
  const auto fit = fit_call_lengths(std::vector<CallTime>{{1, 8}, {2, 1}, {3, 1}, {4, 1}, {40, 1e-3}});
  EXPECT_GT(fit->residual, 1);
}

}  // namespace
}  // namespace regatta::stats
