#include "results/collect/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::results {
namespace {

using stats::Phase;
using stats::Sample;

Sample steady(std::uint32_t steps, double seconds) { return {0, 0, Phase::steady, 0, steps, 0, 0, 0, seconds}; }

TEST(StepMetrics, AreTakenFromSteadySamplesOnly) {
  const std::vector<Sample> samples = {
      {0, 0, Phase::first, 0, 1, 0, 0, 0, 9.0},   {0, 0, Phase::warmup, 0, 1, 0, 0, 0, 7.0},
      {0, 0, Phase::reentry, 0, 1, 0, 0, 0, 5.0}, {0, 0, Phase::steady, 0, 1, 0, 0, 0, 0.1},
      {1, 0, Phase::steady, 0, 1, 0, 0, 0, 0.2},  {2, 0, Phase::steady, 0, 1, 0, 0, 0, 0.6}};
  const auto metrics = step_metrics(samples, 32);
  EXPECT_DOUBLE_EQ(metrics.at("step_time"), 0.2);
  EXPECT_DOUBLE_EQ(metrics.at("step_time_mean"), 0.3);
  EXPECT_DOUBLE_EQ(metrics.at("samples_per_second"), 32 / 0.3);
  EXPECT_DOUBLE_EQ(metrics.at("first_step"), 9.0);
  EXPECT_DOUBLE_EQ(metrics.at("step_time_p95"), 0.6);
  EXPECT_EQ(metrics.at("n"), 3);
}

TEST(StepMetrics, WhatWasNotMeasuredIsAbsent) {
  const auto metrics = step_metrics({}, 32);
  EXPECT_EQ(metrics, (std::map<std::string, double>{{"n", 0}}));
  EXPECT_FALSE(step_metrics(std::vector<Sample>{steady(1, 1)}, std::nullopt).contains("samples_per_second"));
}

TEST(StepMetrics, AStepTakesWhatItsSliceTookWaitingIncluded) {
  std::vector<Sample> samples;
  for (std::uint32_t slice = 0; slice < 3; ++slice) {
    for (int i = 0; i < 9; ++i) samples.push_back({slice, 0, Phase::steady, 0, 1, 0, 0, 0, 0.01});  // handed over
    samples.push_back({slice, 0, Phase::steady, 0, 1, 0, 0, 0, 0.91 + 10 * slice});                 // waited for
  }
  EXPECT_DOUBLE_EQ(step_metrics(samples, std::nullopt).at("step_time"), 1.1);
}

TEST(StepMetrics, TheMeanWeighsStepsAndNotSamples) {
  const std::vector<Sample> samples = {steady(9, 9 * 0.1), steady(1, 1.1)};
  EXPECT_DOUBLE_EQ(step_metrics(samples, std::nullopt).at("step_time_mean"), 0.2);
}

TEST(StepMetrics, NonsenseIsNoMeasurement) {
  const std::vector<Sample> samples = {steady(0, 1), steady(1, std::nan("")), steady(1, HUGE_VAL), steady(1, 0.5)};
  const auto metrics = step_metrics(samples, 32);
  EXPECT_EQ(metrics.at("n"), 1);
  EXPECT_DOUBLE_EQ(metrics.at("step_time_mean"), 0.5);
}

TEST(StepQuantile, OfEqualSamplesIsTheOrdinaryMedian) {
  const std::vector<Sample> even = {steady(2, 8), steady(2, 2), steady(2, 6), steady(2, 4)};
  EXPECT_DOUBLE_EQ(step_quantile(even, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(step_quantile(std::vector<Sample>(even.begin(), even.end() - 1), 0.5), 3);
}

TEST(StepQuantile, LongSampleCountsAsItsSteps) {
  const std::vector<Sample> samples = {steady(8, 8 * 0.1), steady(1, 0.5), steady(1, 0.9)};
  EXPECT_DOUBLE_EQ(step_quantile(samples, 0.5), 0.1);
  EXPECT_DOUBLE_EQ(step_quantile(samples, 0.85), 0.5);
  EXPECT_DOUBLE_EQ(step_quantile(samples, 0.95), 0.9);
}

TEST(StepQuantile, OfOneHundredStepsLeavesFiveAbove) {
  std::vector<Sample> samples;
  for (int i = 1; i <= 100; ++i) samples.push_back(steady(1, i));
  EXPECT_DOUBLE_EQ(step_quantile(samples, 0.95), 95.5);
}

}  // namespace
}  // namespace regatta::results
