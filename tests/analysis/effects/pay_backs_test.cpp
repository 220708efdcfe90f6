#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/hand_made.hpp"

namespace regatta::analysis {
namespace {

using testing::HasSubstr;
using testing_support::HandMade;

/// graph starts in 0.5 + 0.5 s and steps in 1 ms, eager starts in 0.1 + 0.1 s and takes `ratio` as long a step.
HandMade started(double ratio, double low, double high, int processes = 7, const char* engine = "native") {
  HandMade made;
  auto& contrast = made.contrast(1, ratio, 1, 7, "mlp-10", engine);
  contrast.low = low;
  contrast.high = high;
  made.starts(TrialIndex{0}, 0, 0.5, 0.5, processes, 1e-3);
  made.starts(TrialIndex{1}, 1, 0.1, 0.1, processes, 7e-3);
  return made;
}

TEST(PayBacks, AreTheCostOverTheSaving) {
  const auto found = started(2, 1.8, 2.2).effects().pay_backs;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].starter, TrialIndex{0});
  EXPECT_NEAR(found[0].steps, 800, 1e-6);                 // 0.8 s / 1 ms
  EXPECT_NEAR(found[0].low.value(), 0.8 / 1.2e-3, 1e-6);  // saving at most 1.2 ms
  EXPECT_NEAR(found[0].high.value(), 1000, 1e-6);         // at least 0.8 ms
  EXPECT_EQ(found[0].text, "graph starts in 1.00 s, eager in 200 ms: pays back after 800 steps [667, 1000]");
}

TEST(PayBacks, HaveNoIntervalBelowSevenProcesses) {
  const auto found = started(2, 1.8, 2.2, 3).effects().pay_backs;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].low);
  EXPECT_THAT(found[0].text, HasSubstr("pays back after 800 steps (n = 3, no interval)"));
}

TEST(PayBacks, AreNeverIfNothingIsSaved) {
  const auto found = started(0.9, 0.8, 0.95).effects().pay_backs;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].never);
  EXPECT_TRUE(std::isinf(found[0].steps));
  EXPECT_THAT(found[0].text, HasSubstr("never pays back"));
}

TEST(PayBacks, MayHaveNoUpperEnd) {
  const auto found = started(1.1, 0.95, 1.2).effects().pay_backs;
  EXPECT_THAT(found.at(0).text, HasSubstr("pays back after 8000 steps [4000, never]"));
}

TEST(PayBacks, AreNoQuestionBetweenEnginesIfNothingIsSaved) {
  EXPECT_TRUE(started(0.9, 0.8, 0.95, 7, "numpy").effects().pay_backs.empty());
  EXPECT_EQ(started(2, 1.8, 2.2, 7, "numpy").effects().pay_backs.size(), 1U);
}

TEST(PayBacks, AreNotKnownWithoutStarts) {
  auto made = started(2, 1.8, 2.2);
  made.made.results.trials[1].metrics.erase("prepare_time");
  EXPECT_TRUE(made.effects().pay_backs.empty());
  EXPECT_TRUE(started(2, 1.8, 2.2, 0).effects().pay_backs.empty());
}

}  // namespace
}  // namespace regatta::analysis
