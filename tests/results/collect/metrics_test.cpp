#include "results/collect/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "regatta/stats/cold_starts.hpp"

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
  EXPECT_FALSE(metrics.contains("cold_start")) << "it was warm before";
  EXPECT_EQ(metrics.at("n"), 3);
}

TEST(StepMetrics, AreMediansOverProcessesOfHowTheyBegan) {
  std::vector<Sample> samples;
  for (const double seconds : {3.0, 1.0, 2.0}) {
    samples.push_back({0, 4, Phase::start, 0, 0, 0, 0, 0, seconds});
    samples.push_back({0, 4, Phase::prepare, 0, 0, 0, 0, 0, 10 * seconds});
    samples.push_back({static_cast<std::uint32_t>(seconds), 4, Phase::first, 0, 1, 0, 0, 0, 100 * seconds});
  }
  const auto metrics = step_metrics(samples, 4);
  EXPECT_DOUBLE_EQ(metrics.at("start_time"), 2);
  EXPECT_DOUBLE_EQ(metrics.at("prepare_time"), 20);
  EXPECT_DOUBLE_EQ(metrics.at("first_step"), 200);
  EXPECT_DOUBLE_EQ(metrics.at("cold_start"), 222);
}

TEST(StepMetrics, TellColdFromWarmStarts) {
  std::vector<Sample> samples;
  for (const std::uint32_t process : {0U, 1U, 2U}) {
    const std::uint8_t flags = process > 0 ? stats::warm_caches : 0;
    samples.push_back({0, 0, Phase::start, 0, 0, 0, 0, 0, 1});
    samples.push_back({0, 0, Phase::prepare, flags, 0, 0, 0, 0, 1});
    samples.push_back({process, 0, Phase::first, 0, 1, 0, 0, 0, process > 0 ? 2.0 : 30.0});
  }
  const auto metrics = step_metrics(samples, 4);
  EXPECT_DOUBLE_EQ(metrics.at("cold_start"), 32);
  EXPECT_DOUBLE_EQ(metrics.at("warm_start"), 4);
  EXPECT_EQ(metrics.at("start_time"), 1);
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

/// Twenty slices of so many calls of one step each: 1 ms, and every tenth 2 ms.
std::vector<Sample> calls(std::uint32_t of_slice, std::uint32_t steps = 1) {
  std::vector<Sample> samples;
  for (std::uint32_t slice = 0; slice < 20; ++slice) {
    for (std::uint32_t i = 0; i < of_slice; ++i)
      samples.push_back({.slice = slice, .steps = steps, .seconds = i % 10 == 3 ? 2e-3 : 1e-3});
  }
  return samples;
}

TEST(CallMetrics, AreQuantilesOfSingleCallsWithTheirIntervals) {
  const auto metrics = call_metrics(calls(50), 1);
  EXPECT_DOUBLE_EQ(metrics.at("latency_p50"), 1e-3);
  EXPECT_DOUBLE_EQ(metrics.at("latency_p95"), 2e-3);
  EXPECT_DOUBLE_EQ(metrics.at("latency_p99_low"), 2e-3);
  EXPECT_DOUBLE_EQ(metrics.at("latency_p99_high"), 2e-3);
  EXPECT_EQ(metrics.at("calls"), 1000);
  EXPECT_EQ(metrics.at("call_slices"), 20);
}

TEST(CallMetrics, AreAbsentWithoutEnoughSingleCalls) {
  const auto few = call_metrics(calls(49), 1);
  EXPECT_FALSE(few.contains("latency_p99")) << "980 calls";
  EXPECT_TRUE(few.contains("latency_p95"));
  const std::map<std::string, double> none = {{"calls", 0}, {"call_slices", 0}};
  EXPECT_EQ(call_metrics(calls(50, 5), 1), none) << "a sample of five steps is no call: its p95 is that of means";
  EXPECT_TRUE(call_metrics(calls(50, 5), 5).contains("latency_p99")) << "unless a call takes five steps";
}

}  // namespace
}  // namespace regatta::results
