#include "sweep/read/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace regatta::sweep {
namespace {

using Levels = std::vector<std::int64_t>;

TEST(Ranges, LinearStepsEndAtTheLastLevelOrBeforeIt) {
  EXPECT_EQ(linear_steps({1, 5}, 1), (Levels{1, 2, 3, 4, 5}));
  EXPECT_EQ(linear_steps({100, 1000}, 300), (Levels{100, 400, 700, 1000}));
  EXPECT_EQ(linear_steps({100, 999}, 300), (Levels{100, 400, 700}));
  EXPECT_EQ(linear_steps({7, 7}, 100), (Levels{7}));
  EXPECT_EQ(count_of_steps(Ends{0, 9007199254740991}, 1), 9007199254740992);
}

TEST(Ranges, CountsHoldBothEnds) {
  EXPECT_EQ(linear_count({0, 10}, 3), (Levels{0, 5, 10}));
  EXPECT_EQ(linear_count({1, 3}, 5), (Levels{1, 2, 3}));  // 1.5 rounds to 2, as 2 does: each level once
  EXPECT_EQ(geometric_count({1, 1000}, 4), (Levels{1, 10, 100, 1000}));
  EXPECT_EQ(geometric_count({1, 4}, 9).front(), 1);
  EXPECT_EQ(geometric_count({1, 4}, 9).back(), 4);
  EXPECT_EQ(geometric_count({5, 5}, 3), (Levels{5}));
}

TEST(Ranges, GeometricStepsAreRoundedAndStandOnce) {
  EXPECT_EQ(geometric_steps({1, 64}, 2), (Levels{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(geometric_steps({3, 100}, 10), (Levels{3, 30}));
  EXPECT_EQ(geometric_steps({1, 10}, 1.5), (Levels{1, 2, 3, 5, 8}));
  EXPECT_EQ(geometric_steps({1, 9007199254740991}, 1.01).front(), 1);
}

TEST(Ranges, RealStepsReachTheEndThatRoundingWouldMiss) {
  EXPECT_EQ(linear_reals_by({0.1, 0.5}, 0.1), (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5}));
  EXPECT_EQ(linear_reals_by({0.7, 0.9}, 0.1), (std::vector<double>{0.7, 0.8, 0.9}));
  EXPECT_EQ(linear_reals_by({0, 1}, 0.4), (std::vector<double>{0, 0.4, 0.8}));
  EXPECT_EQ(linear_reals_by({2, 2}, 1), (std::vector<double>{2}));
  EXPECT_EQ(count_of_steps(RealEnds{0, 1e9}, 1e-9), 1e18 + 1);
}

TEST(Draws, StayBetweenTheirEndsAndReachThem) {
  const Draws draws(0, "batch");
  std::set<std::int64_t> uniform;
  std::set<std::int64_t> logarithmic;
  for (std::uint64_t row = 0; row < 2000; ++row) {
    uniform.insert(draws.uniform({3, 9}, 1, row));
    logarithmic.insert(draws.log_uniform({1, 8}, row));
    EXPECT_LT(draws.choice(3, row), 3U);
  }
  EXPECT_EQ(uniform, (std::set<std::int64_t>{3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(logarithmic, (std::set<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(draws.uniform({5, 5}, 1, 1), 5);
}

TEST(Draws, WithStepsGiveEachStepAsOften) {
  const Draws draws(2, "dropout");
  std::map<double, int> reals;
  std::map<std::int64_t, int> integers;
  for (std::uint64_t row = 0; row < 4000; ++row) {
    ++reals[draws.real_by({0, 0.35}, 0.1, row)];
    ++integers[draws.uniform({10, 49}, 10, row)];
  }
  ASSERT_EQ(reals.size(), 4U);
  ASSERT_EQ(integers.size(), 4U);
  EXPECT_EQ(reals.rbegin()->first, 0.3);
  EXPECT_EQ(integers.rbegin()->first, 40);
  for (const auto& [level, count] : reals) EXPECT_NEAR(count, 1000, 150) << level;
  for (const auto& [level, count] : integers) EXPECT_NEAR(count, 1000, 150) << level;
}

TEST(Draws, OfTheLogarithmAreAsOftenInEachDecade) {
  const Draws draws(1, "seed");
  int below_hundred = 0;
  constexpr int rounds = 10'000;
  for (std::uint64_t row = 0; row < rounds; ++row) below_hundred += draws.log_uniform({1, 9999}, row) < 100 ? 1 : 0;
  EXPECT_NEAR(below_hundred, rounds / 2, 300);
}

TEST(Draws, DependOnSeedAxisAndRowAndNothingElse) {
  const auto first_draws = [](std::int64_t seed, const char* axis) {
    Levels levels;
    for (std::uint64_t row = 0; row < 4; ++row) levels.push_back(Draws(seed, axis).uniform({0, 1'000'000}, 1, row));
    return levels;
  };
  EXPECT_EQ(first_draws(0, "batch"), first_draws(0, "batch"));
  EXPECT_NE(first_draws(0, "batch"), first_draws(1, "batch"));
  EXPECT_NE(first_draws(0, "batch"), first_draws(0, "threads"));
}

}  // namespace
}  // namespace regatta::sweep
