#include "regatta/stats/slice_values.hpp"

#include <gtest/gtest.h>

namespace regatta::stats {
namespace {

Sample sample(std::uint32_t slice, std::uint16_t arm, Phase phase, double seconds, std::uint16_t square = 0) {
  return {.slice = slice, .arm = arm, .phase = phase, .steps = 2, .square = square, .seconds = seconds};
}

TEST(SliceValues, AddUpTheSteadySamplesOfEachSlice) {
  auto samples = std::vector<Sample>{sample(0, 0, Phase::reentry, 9), sample(0, 0, Phase::steady, 1),
                                     sample(0, 0, Phase::steady, 2), sample(1, 1, Phase::steady, 4)};
  samples[1].flags = 1;
  samples[2].flags = 4;
  const auto values = slice_values(samples, std::vector<ArmReading>(2));
  ASSERT_EQ(values.size(), 2U);
  ASSERT_EQ(values[0].size(), 1U);
  EXPECT_EQ(values[0][0].seconds, 3);
  EXPECT_EQ(values[0][0].work, 4);
  EXPECT_EQ(values[0][0].flags, 5);
  EXPECT_EQ(values[0][0].median_step_seconds, 0.75);
  EXPECT_EQ(values[0][0].first_quarter, 0) << "too few samples";
  EXPECT_EQ(values[1][0].position, 1U);
}

TEST(SliceValues, CountWorkInSamplesWhereStepsHaveBatches) {
  const auto values =
      slice_values(std::vector<Sample>{sample(0, 0, Phase::steady, 1)}, std::vector<ArmReading>{{.work_per_step = 32}});
  EXPECT_EQ(values[0][0].work, 64);
  EXPECT_EQ(values[0][0].median_step_seconds, 0.5 / 32);
}

TEST(SliceValues, CompareTheFirstQuarterWithTheLast) {
  std::vector<Sample> samples(8, sample(0, 0, Phase::steady, 2));
  samples[0].seconds = samples[1].seconds = 6;
  const auto values = slice_values(samples, std::vector<ArmReading>(1));
  EXPECT_EQ(values[0][0].first_quarter, 3);
  EXPECT_EQ(values[0][0].last_quarter, 1);
}

TEST(SliceValues, CountProcessesByTheirFirstSteps) {
  std::vector<Sample> samples = {sample(0, 0, Phase::first, 1), sample(1, 0, Phase::steady, 1, 0),
                                 sample(2, 0, Phase::steady, 1, 1), sample(3, 0, Phase::first, 1),
                                 sample(4, 0, Phase::steady, 1, 2)};
  const auto kept = slice_values(samples, std::vector<ArmReading>(1))[0];
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[1].process, 0U);
  EXPECT_EQ(kept[2].process, 1U);
  const auto ended = slice_values(samples, std::vector<ArmReading>{{.process_per_square = true}})[0];
  EXPECT_EQ(ended[1].process, 1U);
}

TEST(SliceValues, AreOneOfEachFreshProcessWhereColdStartsCount) {
  std::vector<Sample> samples = {sample(0, 0, Phase::first, 8), sample(1, 0, Phase::steady, 8, 0)};  // warm before
  for (const std::uint32_t process : {1U, 2U}) {
    const std::uint32_t slice = 10 * process;
    for (const Phase phase : {Phase::start, Phase::prepare}) {
      samples.push_back(sample(slice, 0, phase, 3.0 * process));
      samples.back().steps = 0;
    }
    samples.push_back(sample(slice + 1, 0, Phase::first, 4));
    samples.push_back(sample(slice + 2, 0, Phase::steady, 2, 2));
    samples.push_back(sample(slice + 3, 0, Phase::steady, 4, 3));
  }
  samples.back().flags = 2;
  const std::vector<ArmReading> from_start = {{.steps_from_start = 100}};
  EXPECT_EQ(slice_values(samples, from_start)[0].at(1).flags, 0) << "not most of its slices";
  samples[samples.size() - 2].flags = 2;
  const auto values = slice_values(samples, from_start)[0];
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].seconds, 3 + 3 + 4 + 100 * 1.5);  // four steps in 6 s
  EXPECT_EQ(values[0].work, 1);
  EXPECT_EQ(values[0].flags, 0);
  EXPECT_EQ(values[1].seconds, 6 + 6 + 4 + 100 * 1.5);
  EXPECT_EQ(values[1].process, 2U);
  EXPECT_EQ(values[1].square, 2U) << "each pair of processes is a square of its own";
  EXPECT_EQ(values[1].flags, 2);
}

TEST(SliceValues, LeaveOutOtherRanksAndUnknownArms) {
  std::vector<Sample> samples = {sample(0, 0, Phase::steady, 1), sample(0, 5, Phase::steady, 1)};
  samples.push_back(samples[0]);
  samples.back().rank = 1;
  EXPECT_EQ(slice_values(samples, std::vector<ArmReading>(1))[0][0].seconds, 1);
}

TEST(SliceValues, KeepSingleCallsWhereAQuantileIsCompared) {
  auto samples = std::vector<Sample>{sample(0, 0, Phase::steady, 1), sample(0, 0, Phase::steady, 2),
                                     sample(0, 0, Phase::reentry, 8)};
  samples[1].steps = 1;
  const auto calls = [&](const ArmReading& reading) {
    return slice_values(samples, std::vector<ArmReading>{reading}).at(0).at(0).calls;
  };
  EXPECT_EQ(calls({.quantile = 0.95}), std::vector<double>{2}) << "two steps are no single call";
  EXPECT_EQ(calls({.quantile = 0.95, .steps_per_call = 2}), std::vector<double>{1}) << "unless a call takes two";
  EXPECT_TRUE(calls({}).empty());
}

TEST(ProcessValues, StandEachForASquareOfItsOwn) {
  const auto values = process_values(std::vector<double>{3e6, 4e6});
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[1].seconds / values[1].work, 4e6);
  EXPECT_EQ(values[1].process, 1U);
  EXPECT_EQ(values[1].square, 1U);
}

}  // namespace
}  // namespace regatta::stats
