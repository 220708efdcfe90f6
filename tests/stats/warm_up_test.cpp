#include "regatta/stats/warm_up.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "regatta/base/random.hpp"

namespace regatta::stats {
namespace {

/// Stretches of `count` slices at `seconds`, with 0.5 % of noise.
std::vector<double> levels(const std::vector<std::pair<double, std::size_t>>& stretches) {
  std::vector<double> slices;
  for (const auto& [seconds, count] : stretches) {
    for (std::size_t i = 0; i < count; ++i) {
      slices.push_back(seconds * (1 + 0.01 * (static_cast<double>(random_unit(3, slices.size())) - 0.5)));
    }
  }
  return slices;
}

TEST(ChangePoints, FindStepsExactly) {
  EXPECT_EQ(change_points(std::vector<double>{1, 1, 1, 1, 2, 2, 2, 5, 5, 5}), (std::vector<std::size_t>{4, 7}));
  EXPECT_TRUE(change_points(std::vector<double>(20, 0.3)).empty());
  EXPECT_TRUE(change_points(std::vector<double>{1, 1, 9, 9, 9}).empty()) << "too short";
}

TEST(ChangePoints, AreRareInNoise) {
  std::size_t found = 0;
  for (std::uint64_t series = 0; series < 100; ++series) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 40; ++i) values.push_back(random_unit(series, i));
    found += change_points(values).empty() ? 0 : 1;
  }
  EXPECT_LE(found, 25U);
}

TEST(ClassifyWarmUp, FlatNeedsNoPrefix) {
  const auto flat = classify_warm_up(levels({{1, 30}}), 0.01);
  EXPECT_EQ(flat.state, SteadyState::flat);
  EXPECT_EQ(flat.prefix, 0U);
  EXPECT_EQ(classify_warm_up(levels({{1.02, 8}, {1, 22}}), 0.05).state, SteadyState::flat) << "change below delta";
  EXPECT_EQ(classify_warm_up({}, 0.01).state, SteadyState::flat);
}

TEST(ClassifyWarmUp, LeavesOutWhatIsBeforeTheLastLevel) {
  const auto warm_up = classify_warm_up(levels({{3, 4}, {1.5, 5}, {1, 21}}), 0.01);
  EXPECT_EQ(warm_up.state, SteadyState::warm_up);
  EXPECT_EQ(warm_up.prefix, 9U);
  EXPECT_NEAR(warm_up.change, std::log(3), 0.01);
}

TEST(ClassifyWarmUp, TellsSlowDown) {
  const auto slow_down = classify_warm_up(levels({{1, 8}, {1.2, 22}}), 0.01);
  EXPECT_EQ(slow_down.state, SteadyState::slow_down);
  EXPECT_EQ(slow_down.prefix, 8U);
  EXPECT_NEAR(slow_down.change, -std::log(1.2), 0.01);
}

TEST(ClassifyWarmUp, WithoutASteadyHalfHasNoSteadyState) {
  EXPECT_EQ(classify_warm_up(levels({{1, 20}, {1.2, 10}}), 0.01).state, SteadyState::none);
  std::vector<double> ramp;
  for (int i = 0; i < 40; ++i) ramp.push_back(1 + 0.01 * i);
  const auto none = classify_warm_up(ramp, 0.01);
  EXPECT_EQ(none.state, SteadyState::none) << "steps below delta add up";
  EXPECT_EQ(none.prefix, 0U);
}

TEST(ClassifyWarmUp, DoesNotTakeASpikeForAChange) {
  auto slices = levels({{1, 30}});
  slices[10] = 5;
  slices[20] = 3;
  EXPECT_EQ(classify_warm_up(slices, 0.01).state, SteadyState::flat);
}

TEST(SharedWarmUps, AreTheLongestThatAnArmHasTimeFor) {
  const std::vector<FreshStart> arms = {{15'882, 1.7e-6}, {1125, 1.7e-6}, {200, 70e-6}, {9000, 1e-3}};
  EXPECT_EQ(shared_warm_ups(arms, 0.1), (std::vector<std::int64_t>{15'882, 15'882, 1125, 9000}))
      << "identical code begins at the same step; a slow arm cannot follow; nobody warms up for less than it needs";
  EXPECT_EQ(shared_warm_ups(arms, 0), (std::vector<std::int64_t>{15'882, 1125, 200, 9000}));
}

}  // namespace
}  // namespace regatta::stats
