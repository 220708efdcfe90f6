#include "regatta/analysis/wording.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace regatta::analysis {
namespace {

TEST(Wording, RatiosKeepThreeDigitsAndFourNearOne) {
  EXPECT_EQ(ratio_text(10.71), "10.7x");
  EXPECT_EQ(ratio_text(2.134), "2.13x");
  EXPECT_EQ(ratio_text(1.0034), "1.003x");
  EXPECT_EQ(ratio_text(0.5312), "0.53x");
  EXPECT_EQ(ratio_text(0.01234), "0.012x");
  EXPECT_EQ(ratio_text(1234.5), "1234x");
}

TEST(Wording, AnIntervalNeedsBothEnds) {
  EXPECT_EQ(interval_text(10.5, 10.9), "[10.5, 10.9]");
  EXPECT_EQ(interval_text(10.5, std::nullopt), "");
}

TEST(Wording, RatesHaveAScale) {
  EXPECT_EQ(rate_text(4.512e6), "4.51 M");
  EXPECT_EQ(rate_text(999.9), "1.00 k");
  EXPECT_EQ(rate_text(12.34), "12.3");
  EXPECT_EQ(rate_text(0.05), "0.05");
}

TEST(Wording, WhatIsNotKnownIsADash) {
  EXPECT_EQ(duration_text(std::nullopt), dash);
  EXPECT_EQ(rate_text(std::nullopt), dash);
  EXPECT_EQ(size_text(std::nullopt), dash);
  results::TrialRow trial;
  trial.metrics["step_time"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(metric(trial, "step_time"));
  EXPECT_FALSE(metric(trial, "first_step"));
}

}  // namespace
}  // namespace regatta::analysis
