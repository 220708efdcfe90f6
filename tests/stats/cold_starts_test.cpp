#include "regatta/stats/cold_starts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

Sample part(std::uint32_t slice, Phase phase, double seconds, std::uint16_t arm = 0) {
  return {.slice = slice, .arm = arm, .phase = phase, .steps = has_steps(phase) ? 1U : 0U, .seconds = seconds};
}

TEST(ColdStarts, GoFromTheStartOfAProcessToTheEndOfItsFirstStep) {
  const std::vector<Sample> block = {part(0, Phase::start, 2),    part(0, Phase::prepare, 0.5),
                                     part(1, Phase::start, 9, 1), part(1, Phase::prepare, 9, 1),
                                     part(2, Phase::first, 0.25), part(3, Phase::warmup, 7),
                                     part(4, Phase::steady, 7)};
  const auto found = cold_starts(block, 2);
  ASSERT_EQ(found.at(0).size(), 1U);
  EXPECT_EQ(found[0][0].start, 2);
  EXPECT_EQ(found[0][0].prepare, 0.5);
  EXPECT_EQ(found[0][0].first_step, 0.25);
  EXPECT_EQ(found[0][0].seconds(), 2.75);
  EXPECT_TRUE(found.at(1).empty()) << "it never made a step";
}

TEST(ColdStarts, AreNotThoseOfProcessesThatWereWarm) {
  const std::vector<Sample> block = {part(0, Phase::prepare, 0.5), part(1, Phase::first, 0.25),
                                     part(2, Phase::start, 1),     part(2, Phase::prepare, 1),
                                     part(3, Phase::first, 1),     part(3, Phase::first, 5)};
  const auto found = cold_starts(block, 1).front();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].process, 1U) << "as slice values count them";
  EXPECT_EQ(found[0].seconds(), 3) << "the first of the samples of its first slice";
}

TEST(ColdStarts, AreWarmWhereTheProcessFoundCompiledWhatItNeeds) {
  std::vector<Sample> block;
  for (const std::uint32_t process : {0U, 1U}) {
    block.push_back(part(2 * process, Phase::start, 1));
    block.push_back(part(2 * process, Phase::prepare, 1));
    if (process == 1) block.back().flags = warm_caches;
    block.push_back(part(2 * process + 1, Phase::first, process == 1 ? 1 : 20));
  }
  const auto found = cold_starts(block, 1).front();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(those_with(found, false).at(0).seconds(), 22);
  EXPECT_EQ(those_with(found, true).at(0).seconds(), 3);
  EXPECT_EQ(those_with(found, true).size(), 1U);
}

TEST(ColdStarts, AreUnknownInFilesThatDoNotHoldThem) {
  EXPECT_TRUE(cold_starts(std::vector<Sample>{part(0, Phase::first, 1)}, 1).front().empty());
  EXPECT_TRUE(std::isnan(cold_start({}).value));
}

TEST(ColdStarts, HaveAnIntervalFromSevenProcessesOn) {
  std::vector<ColdStart> starts;
  for (const double seconds : {7, 2, 3, 4, 5, 6}) starts.push_back({0, seconds, 0, 0});
  EXPECT_FALSE(cold_start(starts).range.finite());
  starts.push_back({6, 0, 0, 1});
  EXPECT_EQ(cold_start(starts).value, 4);
  EXPECT_EQ(cold_start(starts).range, (Range{1, 7}));
}

/// Pairs in which a starts `cost` s later and saves 1 s a step.
std::vector<PairCosts> pairs_of(const std::vector<double>& costs) {
  std::vector<PairCosts> pairs;
  for (const double cost : costs) pairs.push_back({1 + cost, 1, 2, 3});
  return pairs;
}

TEST(BreakEven, IsTheCostOverTheSavingOfTheMiddlePair) {
  const auto steps = break_even(pairs_of({70, 20, 30, 40, 50, 60, 10}));
  EXPECT_DOUBLE_EQ(steps.value, 40);
  EXPECT_EQ(steps.range, (Range{10, 70}));
  EXPECT_DOUBLE_EQ(break_even(pairs_of({70, 20, 30, 40, 50, 60, 10, 80})).value, 45);
}

TEST(BreakEven, HasNoIntervalBelowSevenPairs) {
  const auto steps = break_even(pairs_of({20, 30, 40, 50, 60, 10}));
  EXPECT_DOUBLE_EQ(steps.value, 35);
  EXPECT_FALSE(steps.range.finite());
  EXPECT_TRUE(std::isnan(break_even({}).value));
}

TEST(BreakEven, LeavesOutliersOfTwelvePairsOut) {
  std::vector<double> costs(10, 40);
  costs.push_back(4000);
  costs.push_back(-4000);
  EXPECT_EQ(break_even(pairs_of(costs)).range, (Range{40, 40}));
}

TEST(BreakEven, IsNeverWithoutASaving) {
  auto pairs = pairs_of({10, 20, 30, 40, 50, 60, 70});
  for (PairCosts& pair : pairs) pair.step_a = 4;
  EXPECT_TRUE(std::isinf(break_even(pairs).value));
  EXPECT_TRUE(std::isinf(break_even(pairs).range.low));
  pairs.front().step_a = 2;
  EXPECT_TRUE(std::isinf(break_even(pairs).value));
  EXPECT_EQ(break_even(pairs).range.low, 10) << "one pair of seven paid: that a always does is not refuted";
}

TEST(BreakEven, HasNoUpperEndIfTheSavingIsNotSure) {
  auto pairs = pairs_of({10, 20, 30, 40, 50, 60, 70});
  pairs.back().step_a = 4;
  const auto steps = break_even(pairs);
  EXPECT_DOUBLE_EQ(steps.value, 40);
  EXPECT_EQ(steps.range.low, 10);
  EXPECT_TRUE(std::isinf(steps.range.high));
}

TEST(BreakEven, MayBeAtTheStart) {
  EXPECT_EQ(break_even(pairs_of({-3, -2, -1, 0, 1, 2, 3})).range, (Range{0, 3}));
  const auto at_once = break_even(pairs_of({-3, -2, -1, -3, -4, -2, -3}));
  EXPECT_EQ(at_once.value, 0);
  EXPECT_EQ(at_once.range, (Range{0, 0}));
}

TEST(BreakEven, PairsStartsWithTheStepsOfTheSameProcesses) {
  ContrastSlices contrast;
  for (std::uint32_t square = 0; square < 6; ++square) {
    const std::uint32_t process = square / 2;
    for (const std::uint32_t position : {0U, 1U}) {
      SliceValue slice{.seconds = 1.0 + process, .work = 10, .process = process, .square = square};
      slice.position = position;
      contrast.a.push_back(slice);
      slice.seconds = 4;
      slice.position = 1 - position;
      contrast.b.push_back(slice);
    }
  }
  const std::vector<ColdStart> of_a = {{0, 1, 1, 1}, {1, 2, 1, 1}, {2, 3, 1, 1}};
  const std::vector<ColdStart> of_b = {{0, 0, 1, 0}, {2, 0, 3, 0}};  // its second process was warm
  const auto pairs = pair_costs(contrast, of_a, of_b);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[1].cold_a, 5);
  EXPECT_EQ(pairs[1].cold_b, 3);
  EXPECT_DOUBLE_EQ(pairs[1].step_a, 0.3);
  EXPECT_DOUBLE_EQ(pairs[1].step_b, 0.4);
}

}  // namespace
}  // namespace regatta::stats
