#include "regatta/search/final_set.hpp"

#include <gtest/gtest.h>

namespace regatta::search {
namespace {

/// `seeds` runs around `center`; what a seed brings is the same for all.
FreshRuns around(double center, std::int64_t seeds, double own = 0.0005) {
  FreshRuns runs;
  for (std::int64_t i = 0; i < seeds; ++i) {
    const double luck = 0.02 * static_cast<double>(i % 5) + own * static_cast<double>((i * 3) % 4);
    runs[1000 + i] = center + luck;
  }
  return runs;
}

TEST(FinalSet, IsLedByTheBestMean) {
  const std::vector<FreshRuns> runs = {around(0.90, 12), around(0.92, 12), around(0.91, 12)};
  EXPECT_EQ(final_set(runs, 0.01)->leader, 1U);
}

TEST(FinalSet, LeavesOutWhoIsWorseByMoreThanTheMarginPairedBySeed) {
  const std::vector<FreshRuns> runs = {around(0.92, 12), around(0.915, 12, 0), around(0.90, 12, 0)};
  const auto set = final_set(runs, 0.01);
  EXPECT_TRUE(set->places[0].in_set);
  EXPECT_TRUE(set->places[1].in_set);
  EXPECT_FALSE(set->places[2].in_set) << "what the seeds bring is far larger than the difference";
  EXPECT_EQ(set->places[2].pairs, 12U);
  EXPECT_NEAR(set->places[2].behind.value, 0.02075, 1e-9);
  EXPECT_GT(set->places[2].behind.range.low, 0.01);
}

TEST(FinalSet, LeavesNobodyOutBelowSevenSeeds) {
  const std::vector<FreshRuns> six = {around(0.9, 6), around(0.5, 6)};
  EXPECT_TRUE(final_set(six, 0.01)->places[1].in_set);
  const std::vector<FreshRuns> seven = {around(0.9, 7), around(0.5, 7)};
  EXPECT_FALSE(final_set(seven, 0.01)->places[1].in_set);
  std::vector<FreshRuns> diverged = {around(0.9, 6), around(0.5, 6)};
  for (auto& [seed, goodness] : diverged[1]) goodness = std::nullopt;
  EXPECT_TRUE(final_set(diverged, 0.01)->places[1].in_set);
}

TEST(FinalSet, LeavesOutWhoDivergesMoreOften) {
  std::vector<FreshRuns> runs = {around(0.9, 12), around(0.9, 12)};
  for (std::int64_t seed = 1000; seed < 1005; ++seed) runs[1][seed] = std::nullopt;
  EXPECT_TRUE(final_set(runs, 0.01)->places[1].in_set) << "five tosses";
  for (std::int64_t seed = 1005; seed < 1008; ++seed) runs[1][seed] = std::nullopt;
  EXPECT_FALSE(final_set(runs, 0.01)->places[1].in_set);
}

TEST(FinalSet, IsNotLedByAFewLuckySeeds) {
  std::vector<FreshRuns> runs = {around(0.9, 12), around(0.95, 12)};
  for (std::int64_t seed = 1000; seed < 1009; ++seed) runs[1][seed] = std::nullopt;
  EXPECT_EQ(final_set(runs, 0.01)->leader, 0U);
}

TEST(FinalSet, IsNothingWithoutAScore) {
  std::vector<FreshRuns> runs = {around(0.9, 2)};
  for (auto& [seed, goodness] : runs[0]) goodness = std::nullopt;
  EXPECT_FALSE(final_set(runs, 0.01));
  EXPECT_FALSE(final_set({}, 0.01));
}

TEST(MightBelong, WhoseRunIsNotFurtherThanRunsScatter) {
  const std::vector<FreshRuns> runs = {around(0.9, 12), around(0.9, 12)};
  const auto set = final_set(runs, 0.01);
  EXPECT_TRUE(might_belong(runs, *set, 0.99, 0.01));
  EXPECT_TRUE(might_belong(runs, *set, 0.90, 0.01));
  EXPECT_FALSE(might_belong(runs, *set, 0.80, 0.01));
}

TEST(ChanceOfHeads, IsTheTailOfTossingACoin) {
  EXPECT_DOUBLE_EQ(chance_of_heads(0, 5), 1);
  EXPECT_DOUBLE_EQ(chance_of_heads(5, 5), 1.0 / 32);
  EXPECT_DOUBLE_EQ(chance_of_heads(2, 3), 0.5);
  EXPECT_DOUBLE_EQ(chance_of_heads(0, 0), 1);
}

}  // namespace
}  // namespace regatta::search
